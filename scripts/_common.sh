# What the scripts beside this file share: finding Python, making a virtual environment, installing into it once.
# Sourced with bash; leaves the caller in the project's root.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
unset PYTHONHOME PYTHONPATH

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "$@"
  exit 1
}

# Prints the name of a Python 3.11 or newer that can make virtual environments: $PYTHON if set, else the first found.
# With CI set, one that lacks is installed where apt-get is: a bare Debian splits the module venv off Python.
find_python() {
  local found
  if found=$(look_for_python 2>/dev/null); then
    printf '%s\n' "$found"
    return
  fi
  if [ -n "${CI:-}" ] && command -v apt-get >/dev/null; then
    say "Installing Python with its module venv."
    apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y python3 python3-venv >&2
  fi
  look_for_python
}

look_for_python() {
  local candidates=(python3 python python3.14 python3.13 python3.12 python3.11)
  local candidate version too_old="" without_venv=""
  if [ -n "${PYTHON:-}" ]; then
    candidates=("$PYTHON")
  fi
  for candidate in "${candidates[@]}"; do
    version=$("$candidate" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null) || continue
    if ! "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
      too_old+=" $candidate is $version."
    elif ! "$candidate" -c 'import ensurepip, venv' 2>/dev/null; then
      without_venv+=" $candidate ($version)"
    else
      printf '%s\n' "$candidate"
      return
    fi
  done
  if [ -n "$without_venv" ]; then
    fail "Python can't make a virtual environment here: the modules venv and ensurepip are missing from$without_venv." \
      "On Debian and Ubuntu: apt-get install python3-venv. Or set PYTHON to another Python."
  fi
  fail "Python 3.11 or newer is needed and wasn't found.${too_old}${PYTHON:+ PYTHON is set to $PYTHON.}" \
    "Install it, or set PYTHON to the one to use, such as PYTHON=python3.12."
}

# make_venv FOLDER: makes the virtual environment unless a working one is there.
make_venv() {
  local venv=$1 python
  if "$venv/bin/python" -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    return
  fi
  python=$(find_python)
  say "Making the virtual environment $venv with $("$python" --version 2>&1)."
  "$python" -m venv --clear "$venv"
}

# What an installation depends on: the project file, where the project lies, the Python version.
fingerprint() {
  "$1/bin/python" - <<'PYTHON' 2>/dev/null || true
import hashlib, os, pathlib, sys
print(hashlib.sha256(pathlib.Path("pyproject.toml").read_bytes()).hexdigest(), sys.version_info[:3], os.getcwd())
PYTHON
}

# is_installed FOLDER EXTRAS: whether `install` has nothing to do.
is_installed() {
  local print
  print=$(fingerprint "$1")
  [ -n "$print" ] && [ "$print" = "$(cat "$1/installed-$2" 2>/dev/null)" ]
}

# install FOLDER EXTRAS: the project, editable, with the extras (comma-separated); skipped while pyproject.toml is the same.
install() {
  local venv=$1 extras=$2
  if is_installed "$venv" "$extras"; then
    return
  fi
  make_venv "$venv"
  say "Installing hipporag-neo4j[$extras] into $venv."
  "$venv/bin/python" -m pip install ${CI:+--quiet} --editable ".[$extras]" >&2
  fingerprint "$venv" >"$venv/installed-$extras"
}

# announce_pytorch FOLDER: says what the embedding model brings along, unless PyTorch is there already.
announce_pytorch() {
  if "$1/bin/python" -c 'import importlib.metadata as m; m.version("torch")' 2>/dev/null; then
    return
  fi
  say "Installing into $1, once: this project, a Java runtime for the local Neo4j server, and sentence-transformers" \
    "with PyTorch for the embeddings."
  if [ "$(uname -s)-$(uname -m)" = Linux-x86_64 ]; then
    say "On this system PyTorch comes with its CUDA libraries: about 2.5 GB to download, 7 GB on disk, some minutes."
    local free
    free=$(df -Pk . | awk 'NR == 2 { print int($4 / 1024 / 1024) }')
    if [ "$free" -lt 10 ]; then
      say "Only $free GB are free here, 10 GB are needed for the time of the installation: it may fail for lack of space."
    fi
  fi
}

# build_docs FOLDER OUTPUT: the pages under docs/ as a site, without network; whatever is doubtful is an error.
build_docs() {
  "$1/bin/python" -m sphinx --builder html --quiet --nitpicky --fail-on-warning docs "$2"
}
