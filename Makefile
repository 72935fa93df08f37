# Every target runs `setup` first; `make` without a target lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
# Node's compile cache: hundreds of test files load the same modules.
export NODE_COMPILE_CACHE := $(CURDIR)/node_modules/.cache/compiled

setup_done := node_modules/.setup-done
# One more than there are CPUs: some tests wait for child processes.
workers = $(shell echo $$(( $$(nproc 2>/dev/null || echo 2) + 1 )))

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: $(setup_done) ## Install Node 26 and the packages (every other target runs this)

$(setup_done): package.json package-lock.json
	@scripts/setup.sh
	@touch $@

.PHONY: up
up: setup ## Run a trial cluster: API server, controllers, nine sandbox nodes, live status
	@bin/machinist up

.PHONY: test
test: setup ## Run all tests that need no special machine (a few minutes)
	@scripts/test-tools.sh
	@vitest run --project alone --project units --project test --maxWorkers=$(workers)

.PHONY: test-kubernetes
test-kubernetes: setup ## Run the suites that need a real kube-apiserver (built with Go on first use, about 6 minutes)
	@scripts/test-tools.sh
	@scripts/kubernetes.sh --build >/dev/null || [ $$? -eq 3 ]
	@vitest run --project kubernetes --maxWorkers=$(workers)

.PHONY: test-hosts
test-hosts: setup ## Run the suites that need a real systemd and ostree, in containers (root on Debian; builds the image on first use)
	@scripts/host-tests.sh

.PHONY: test-vm
test-vm: setup ## Run the daemon in virtual machines under qemu, with power cuts (root on Debian; needs no KVM)
	@scripts/vm-test.sh

.PHONY: test-e2e
test-e2e: setup ## Run clusters of sandbox nodes through updates, failures, restarts and invalid trust inputs (a few minutes)
	@vitest run --project e2e

.PHONY: images
images: setup ## Build the container images with buildah (installed if missing, as root on Debian)
	@scripts/images.sh

.PHONY: test-images
test-images: setup ## Build the images and test them, the daemon's with a real systemd (root on Debian)
	@scripts/image-tests.sh

.PHONY: simulate
simulate: setup ## Run simulated clusters with faults: SEEDS=1..5000 for a range, SEED=17 for one with its log, trust-17 or trust-1..5000 for trust simulations
	@node scripts/simulate.ts $(or $(SEED),$(SEEDS),1..2000)

.PHONY: conformance
conformance: setup ## Run one suite against the embedded API server and, where available, a real kube-apiserver
	@scripts/test-tools.sh
	@scripts/kubernetes.sh --build >/dev/null || [ $$? -eq 3 ]
	@vitest run --project conformance

.PHONY: verify
verify: setup ## Check format, lint, types, dead code, generated files, boundaries and voice
	@echo 'format';     prettier --check --log-level warn .
	@echo 'lint';       oxlint --type-aware --deny-warnings
	@echo 'types';      tsc
	@echo 'dead code';  knip; knip --production --include files,exports
	@echo 'generated';  node scripts/generate-crds.ts --check; node scripts/generate-dashboard.ts --check; node scripts/generate-cli.ts --check; node scripts/generate-controllers.ts --check
	@echo 'boundaries'; vitest run --project test test/boundaries --reporter=dot
	@echo 'voice';      node scripts/check-voice.ts

.PHONY: format
format: setup ## Format the files and fix lint errors
	@prettier --write --log-level warn .
	@oxlint --type-aware --fix

.PHONY: generate
generate: setup ## Write the generated files (CRDs, API reference, dashboard, CLI reference, controllers)
	@node scripts/generate-crds.ts
	@node scripts/generate-dashboard.ts
	@node scripts/generate-cli.ts
	@node scripts/generate-controllers.ts

.PHONY: bench
bench: setup ## Run all benchmarks and print their tables (about 8 minutes; bench/README.md explains them)
	@for file in bench/*.bench.ts; do echo; node $$file; done
