"""The generated parts of the documents: run file, command line, errors, protocol, packages."""
