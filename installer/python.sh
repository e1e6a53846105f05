#!/bin/sh
# Runs a script with a Python that Workerbee can live in (3.11 to 3.14), getting one where it may.
#
#   [PYTHON=…] sh installer/python.sh SCRIPT [ARGUMENTS…]
#
# PYTHON names the interpreter; without it the first of the usual names that suits is taken.

here=$(dirname "$0")

# Only running it tells: pyenv, for one, has a `python3.14` on the PATH that ends in an error.
suits() {
    "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))' >/dev/null 2>&1
}

first_that_suits() {
    for name in python3 python3.14 python3.13 python3.12 python3.11; do
        if suits "$name"; then
            echo "$name"
            return 0
        fi
    done
    return 1
}

if [ -n "$PYTHON" ]; then
    if suits "$PYTHON"; then exec "$PYTHON" "$@"; fi
    echo "Workerbee cannot be set up yet: PYTHON=$PYTHON is not a working Python 3.11, 3.12, 3.13 or 3.14;" \
        "name one that is, or leave PYTHON out." >&2
    exit 1
fi

if ! python=$(first_that_suits); then
    sh "$here/packages.sh" "there is no working Python 3.11, 3.12, 3.13 or 3.14" \
        "python3.14 python3.14-venv" "python3.13 python3.13-venv" "python3.12 python3.12-venv" "python3.11 python3.11-venv" || exit 1
    if ! python=$(first_that_suits); then
        echo "Workerbee cannot be set up yet: the Python that apt installed does not run;" \
            "name one that does with PYTHON=/path/to/python3." >&2
        exit 1
    fi
fi
exec "$python" "$@"
