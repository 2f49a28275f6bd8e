# Each target starts from a fresh clone on a machine with Python and a C++ compiler.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

# A worker for each processor; one that has nothing left to do takes tests from another.
PARALLEL ?= -n auto --dist worksteal

.PHONY: help demo test slow wheel mutations browser soak fuzz fuzz-engine faults crowd cluster lint imports stubs docs sanitize sanitize-python sanitize-folders sanitize-threads clean

help: ## What can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 18

# The stamp is as new as the newest build input, so that a second call costs nothing.
engine_files := $(shell find engine -name '*.hpp' -o -name '*.cpp') CMakeLists.txt pyproject.toml

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/installed: $(BIN)/python $(engine_files)
	$(BIN)/python -m pip install --quiet --editable '.[dev]' -Ccmake.define.ISOGLOSS_WERROR=ON \
	  -Ccmake.define.ISOGLOSS_UNITY=$(or $(UNITY),OFF) -Ccmake.define.ISOGLOSS_LTO=$(or $(LTO),ON)
	@touch $@

demo: $(VENV)/installed ## From nothing to a translation engine for German, measured and explained
	$(BIN)/isogloss demo

test: $(VENV)/installed ## All tests that need nothing but this machine, but for the slow ones
	$(BIN)/python -m pytest $(PARALLEL) $(PYTEST)

slow: $(VENV)/installed ## The slow tests, and properties on many examples
	$(BIN)/python -m pytest $(PARALLEL) -m 'slow or hypothesis' --hypothesis-profile=thorough $(PYTEST)

wheel: ## Tests against the wheel that is made from the source archive, on the newest Python there is
	.ci/wheel

mutations: $(VENV)/installed ## Make known mistakes one by one, and see that tests notice each
	$(BIN)/python tests/support/replay_mutations.py

browser: $(VENV)/installed ## All tests of the workbench page, in Chromium (Debian: apt-get install chromium)
	$(BIN)/python -m pip install --quiet 'playwright>=1.45,<2'
	$(BIN)/python -m pytest -n 0 tests/serve/test_page_files.py -m '' $(PYTEST)

soak: $(VENV)/installed ## The service under load, then with kills, on this machine only; MINUTES=1 each. With ENGINE and TEXT: one process, too
	$(BIN)/python benchmarks/serve.py $(ENGINE) $(TEXT) --minutes $(or $(MINUTES),1)
	$(if $(ENGINE),$(BIN)/python benchmarks/soak.py $(ENGINE) $(TEXT) --minutes $(or $(MINUTES),1))

fuzz: $(VENV)/installed ## Damaged input for every parser and every stored kind, resumable; MINUTES=10, INPUTS=250 or CAMPAIGN=1000000, TARGETS="po arpa"
	$(BIN)/python fuzz/run.py --minutes $(or $(MINUTES),10) $(if $(INPUTS),--inputs $(INPUTS)) \
	  $(if $(CAMPAIGN),--campaign $(CAMPAIGN)) $(TARGETS)

fuzz-engine: $(VENV)/installed ## Damaged input for the parsers in C++, under sanitizers; needs clang; INPUTS=100000 or CAMPAIGN=10000000, CLANG=clang++
	$(BIN)/cmake -S . -B build/fuzz-engine -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
	  -DCMAKE_CXX_COMPILER=$(or $(CLANG),clang++) -DISOGLOSS_PYTHON=OFF -DISOGLOSS_FUZZ=ON -DISOGLOSS_LTO=OFF >/dev/null
	$(BIN)/cmake --build build/fuzz-engine
	$(BIN)/python fuzz/engine.py build/fuzz-engine --inputs $(or $(CAMPAIGN),$(INPUTS),100000) $(if $(CAMPAIGN),--campaign) $(TARGETS)

faults: $(VENV)/installed ## Failing calls and kills for every verb that writes; FAULTS=1000 KILLS=200
	$(BIN)/python fuzz/faults.py --faults $(or $(FAULTS),1000) --kills $(or $(KILLS),200)

cluster: $(VENV)/installed ## All tests that need Ray, on a cluster of four nodes on this machine; then KILLS=20 kills over a train
	$(BIN)/python -m pip install --quiet 'ray[default]>=2.40,<3'
	$(BIN)/python -m pytest -n 0 tests/pipeline/test_executors.py tests/pipeline/test_sharded_stages.py \
	  tests/docs/test_documented_commands.py::test_commands_on_a_cluster -m '' $(PYTEST)
	$(BIN)/python benchmarks/cluster_faults.py --pairs 400 --kills $(or $(KILLS),20)

crowd: $(VENV)/installed ## 24 writers and 24 readers on one memory, some of them killed; MINUTES=1
	$(BIN)/python fuzz/crowd.py --minutes $(or $(MINUTES),1)

lint: $(VENV)/installed stubs ## Style, types, who imports whom, and the engine's type stubs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@$(MAKE) --no-print-directory imports

# Only what pyproject.toml states can be checked.
imports: $(VENV)/installed
	if grep -q '^\[tool.importlinter\]' pyproject.toml; then $(BIN)/lint-imports; fi

stubs: $(VENV)/installed ## Compare the engine's generated type stubs with the ones checked in
	$(BIN)/python -m nanobind.stubgen -q -m isogloss._engine -o build/_engine.pyi
	diff -u src/isogloss/_engine.pyi build/_engine.pyi

docs: $(VENV)/installed ## The web site of the documentation, in build/docs
	$(BIN)/python docs/site/build.py build/docs

sanitize: $(VENV)/installed ## The engine's own tests under AddressSanitizer and UBSan
	$(BIN)/cmake -S . -B build/sanitize -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
	  -DISOGLOSS_PYTHON=OFF -DISOGLOSS_TESTS=ON -DISOGLOSS_UNITY=ON -DISOGLOSS_SANITIZE=ON -DISOGLOSS_WERROR=ON >/dev/null
	$(BIN)/cmake --build build/sanitize
	$(BIN)/ctest --test-dir build/sanitize --output-on-failure

# The interpreter is not instrumented, so the sanitizer's library is loaded before it; what Python itself never frees is
# no leak.
ASAN = env LD_PRELOAD="$(shell gcc -print-file-name=libasan.so) $(shell gcc -print-file-name=libubsan.so)" \
  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
  ISOGLOSS_SANITIZED=1 PYTHONPATH=$(abspath build/sanitize-python):$(abspath fuzz/sanitized)

$(VENV)/sanitized: $(VENV)/installed
	rm -rf build/sanitize-python
	$(BIN)/python -m pip install --quiet --no-deps --target build/sanitize-python . \
	  -Cbuild-dir=build/sanitize-python-objects -Ccmake.define.ISOGLOSS_SANITIZE=ON -Ccmake.define.ISOGLOSS_LTO=OFF \
	  -Ccmake.define.ISOGLOSS_UNITY=ON
	@touch $@

sanitize-python: $(VENV)/sanitized ## What users run under AddressSanitizer and UBSan: search, threads, memories, the service, stored folders, parsers, damaged input; INPUTS=100
	$(ASAN) $(BIN)/python -m pytest -q -n 0 tests/decoder/test_system.py tests/decoder/test_threads.py \
	  tests/decoder/test_same_translations.py tests/decoder/test_corrections.py tests/storage tests/test_stored_folders.py \
	  tests/lm/test_arpa.py tests/nbest/test_formats.py tests/adapt/test_memory.py tests/adapt/test_memory_update.py \
	  tests/serve/test_service.py tests/serve/test_guard.py tests/decoder/test_unknown_words.py $(PYTEST)
	$(ASAN) $(BIN)/python fuzz/run.py --inputs $(or $(INPUTS),100) $(TARGETS)

sanitize-folders: $(VENV)/sanitized ## Damaged stored folders under AddressSanitizer and UBSan, resumable; CAMPAIGN=25000 of each kind
	$(ASAN) $(BIN)/python fuzz/run.py --campaign $(or $(CAMPAIGN),25000) --folder build/fuzz/sanitized \
	  stored-engine stored-memory stored-list stored-reranker

sanitize-threads: $(VENV)/installed ## The engine's own tests under ThreadSanitizer
	$(BIN)/cmake -S . -B build/sanitize-threads -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
	  -DISOGLOSS_PYTHON=OFF -DISOGLOSS_TESTS=ON -DISOGLOSS_UNITY=ON -DISOGLOSS_SANITIZE_THREADS=ON -DISOGLOSS_WERROR=ON >/dev/null
	$(BIN)/cmake --build build/sanitize-threads
	$(BIN)/ctest --test-dir build/sanitize-threads --output-on-failure

clean: ## Remove everything that was built
	rm -rf $(VENV) build dist
