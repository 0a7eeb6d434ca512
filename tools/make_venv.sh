#!/bin/sh
# Make the virtual environment named by $1, with pip in it, from any Python >= 3.10 (PYTHON=... chooses one).
# An environment that is already there is kept.
set -eu

dir=${1:?usage: make_venv.sh DIRECTORY}

fits() {
    command -v "$1" >/dev/null 2>&1 && "$1" -c 'import sys; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1
}

find_python() {
    for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python3.10 python}; do
        if fits "$candidate"; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}

has_pip() {
    "$dir/bin/python" -m pip --version >/dev/null 2>&1
}

if [ -x "$dir/bin/python" ] && has_pip; then
    exit 0
fi

python=$(find_python) || {
    echo "error: no Python 3.10 or newer found (looked at: ${PYTHON:-python3, python3.10 ... python3.14})." >&2
    echo "       On Debian: apt-get install python3 python3-venv. Or name one: make PYTHON=/path/to/python3 ..." >&2
    exit 1
}

# Three ways, the plain one first. The last needs only pip: it brings virtualenv into a folder of this repository.
try_venv() { "$python" -m venv "$dir" && has_pip; }
try_virtualenv() { "$python" -m virtualenv -q "$dir" && has_pip; }
try_fetched_virtualenv() {
    "$python" -m pip install -q --target build/virtualenv virtualenv &&
        PYTHONPATH=build/virtualenv "$python" -m virtualenv -q "$dir" && has_pip
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
for way in try_venv try_virtualenv try_fetched_virtualenv; do
    if "$way" >>"$log" 2>&1; then
        exit 0
    fi
done
cat "$log" >&2
echo "error: $python can make no virtual environment with pip in it." >&2
echo "       On Debian: apt-get install python3-venv  (or python3-virtualenv), then run make again." >&2
exit 1
