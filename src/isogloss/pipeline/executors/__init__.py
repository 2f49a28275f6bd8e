"""Executors: where the shards of a stage run. Only ``ray_cluster`` knows Ray."""

from isogloss.pipeline.executors.connecting import cluster_nodes, connected
from isogloss.pipeline.executors.nodes import Node, check_nodes, mismatches

__all__ = ["Node", "check_nodes", "cluster_nodes", "connected", "mismatches"]
