"""The OpenAPI description, and schemathesis, which asks everything that it allows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.served import Served


def test_every_operation_is_documented_with_an_example(served: Served) -> None:
    schema = served.get("/openapi.json").json
    for path, methods in schema["paths"].items():
        for method, one in methods.items():
            assert one["summary"], path
            body = one.get("requestBody", {}).get("content", {}).get("application/json")
            if method == "post" and body is not None and "$ref" in body["schema"]:
                model = schema["components"]["schemas"][body["schema"]["$ref"].rpartition("/")[2]]
                fields = model["properties"].values()
                assert "examples" in model or any("examples" in json.dumps(field) for field in fields), path


@pytest.mark.slow
def test_nothing_that_the_schema_allows_breaks_the_service(served: Served, tmp_path: Path) -> None:
    pytest.importorskip("schemathesis")
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "run", f"{served.url}/openapi.json"),
        *("--max-examples", "6", "--seed", "1", "--no-color", "--workers", "1"),
        *("--checks", "not_a_server_error,response_schema_conformance,status_code_conformance"),
        *("--checks", "content_type_conformance"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stdout[-6000:]
