"""Files, paths, progress, configuration and errors: what every other package builds on."""
