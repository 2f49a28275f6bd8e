"""Files, paths, progress, configuration and errors: the basis of all other packages."""
