#!/usr/bin/env bash
# Installs the locked packages, including Node 26. The Node of the machine only needs to run npm.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  echo "setup: $1" >&2
  exit 1
}

command -v npm >/dev/null || fail 'npm is missing: install Node.js 20 or newer, which includes npm, then retry'
major=$(node -p 'process.versions.node.split(".")[0]')
[ "$major" -ge 20 ] || fail "Node.js $major is too old to install the packages: install 20 or newer, then retry"

echo 'setup: installing Node 26 and the packages' >&2
# The packages require Node 26, which is one of them: hide npm's warning about the Node of the machine.
npm ci --no-audit --no-fund --loglevel=error >&2

# npm 10 installs the package with Node 26 but does not link its program.
for program in node_modules/node-*/bin/node; do
  [ -e node_modules/.bin/node ] || ln -s "../${program#node_modules/}" node_modules/.bin/node
done
node_modules/.bin/node --version >/dev/null ||
  fail "the packages contain no Node 26 for $(uname -s) $(uname -m): put one at node_modules/.bin/node"

# Fills the compile cache, so that the first start is as fast as later ones (docs/adr/0009). Optional.
NODE_COMPILE_CACHE="$PWD/node_modules/.cache/compiled" node_modules/.bin/node --input-type=module --eval "
  const files = ['src/cli/program', 'packages/apiserver/src/embedded/embedded-api', 'src/process/install-kinds']
  for (const file of files) await import('$PWD/' + file + '.ts')
" || true
