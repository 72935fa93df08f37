# Every target sets up what it needs by itself; `make` alone lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
# What Node compiled once it does not compile again: hundreds of test files load the same modules.
export NODE_COMPILE_CACHE := $(CURDIR)/node_modules/.cache/compiled

setup_done := node_modules/.setup-done
# One more than processors: some tests wait for processes.
workers = $(shell echo $$(( $$(nproc 2>/dev/null || echo 2) + 1 )))

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: $(setup_done) ## Install Node 26 and the packages (every other target does this by itself)

$(setup_done): package.json package-lock.json
	@scripts/setup.sh
	@touch $@

.PHONY: up
up: setup ## Run a whole cluster to try things on: API, controllers, nine sandbox nodes, live status
	@bin/machinist up

.PHONY: test
test: setup ## Run everything that needs no special machine (a few minutes)
	@scripts/test-tools.sh
	@vitest run --project alone --project units --project test --maxWorkers=$(workers)

.PHONY: test-kubernetes
test-kubernetes: setup ## Run the suites that want a real kube-apiserver (built with Go on first use, about 6 minutes)
	@scripts/test-tools.sh
	@scripts/kubernetes.sh --build >/dev/null || [ $$? -eq 3 ]
	@vitest run --project kubernetes --maxWorkers=$(workers)

.PHONY: test-hosts
test-hosts: setup ## Run the suites that want a real systemd and ostree, in containers (root on Debian; builds one on first use)
	@scripts/host-tests.sh

.PHONY: test-vm
test-vm: setup ## Run the daemon on machines with a kernel of their own under qemu, and cut their power (root on Debian; needs no KVM)
	@scripts/vm-test.sh

.PHONY: test-e2e
test-e2e: setup ## Take whole clusters of sandbox nodes through updates, failures, kills and restarts, and trust through bad inputs (a few minutes)
	@vitest run --project e2e

.PHONY: images
images: setup ## Build the container images with buildah (installs it where this is root on Debian)
	@scripts/images.sh

.PHONY: test-images
test-images: setup ## Build the images and try them out, the daemon's on a real systemd (root on Debian)
	@scripts/image-tests.sh

.PHONY: simulate
simulate: setup ## Run simulated clusters with accidents: SEEDS=1..5000 for many, SEED=17 for one with its story, trust-17 and trust-1..5000 for worlds of trust
	@node scripts/simulate.ts $(or $(SEED),$(SEEDS),1..2000)

.PHONY: conformance
conformance: setup ## Run one suite against the embedded API server and, where there is one, a real kube-apiserver
	@scripts/test-tools.sh
	@scripts/kubernetes.sh --build >/dev/null || [ $$? -eq 3 ]
	@vitest run --project conformance

.PHONY: verify
verify: setup ## Check format, lint, types, boundaries, dead code and generated files
	@echo 'format';     prettier --check --log-level warn .
	@echo 'lint';       oxlint --type-aware --deny-warnings
	@echo 'types';      tsc
	@echo 'dead code';  knip
	@echo 'generated';  node scripts/generate-crds.ts --check; node scripts/generate-dashboard.ts --check
	@echo 'boundaries'; vitest run --project test test/boundaries --reporter=dot

.PHONY: format
format: setup ## Rewrite files in the house format
	@prettier --write --log-level warn .
	@oxlint --type-aware --fix

.PHONY: generate
generate: setup ## Write the generated files anew (CRDs and their reference pages, the dashboard)
	@node scripts/generate-crds.ts
	@node scripts/generate-dashboard.ts

.PHONY: bench
bench: setup ## Run all benchmarks and print their tables (about 8 minutes; bench/README.md says what they mean)
	@for file in bench/*.bench.ts; do echo; node $$file; done
