# Every target sets up what it needs by itself; `make` alone lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

setup_done := node_modules/.setup-done

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: $(setup_done) ## Install Node 26 and the packages (every other target does this by itself)

$(setup_done): package.json package-lock.json
	@scripts/setup.sh
	@touch $@

.PHONY: up
up: setup ## Start the embedded Kubernetes API with Machinist's kinds, and say how to reach it
	@bin/machinist up

.PHONY: test
test: setup ## Run everything that needs no special machine (a few minutes)
	@scripts/test-tools.sh
	@vitest run --project test --maxWorkers=100%

.PHONY: test-kubernetes
test-kubernetes: setup ## Run the suites that want a real kube-apiserver (built with Go on first use, about 6 minutes)
	@scripts/test-tools.sh
	@scripts/kubernetes.sh --build >/dev/null || [ $$? -eq 3 ]
	@vitest run --project kubernetes

.PHONY: test-hosts
test-hosts: setup ## Run the suites that want a real systemd and ostree, in containers (root on Debian; builds one on first use)
	@scripts/host-tests.sh

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
	@echo 'generated';  node scripts/generate-crds.ts --check
	@echo 'boundaries'; vitest run --project test test/boundaries --reporter=dot

.PHONY: format
format: setup ## Rewrite files in the house format
	@prettier --write --log-level warn .
	@oxlint --type-aware --fix

.PHONY: generate
generate: setup ## Write the generated files anew (CRDs and their reference pages)
	@node scripts/generate-crds.ts

.PHONY: bench
bench: setup ## Run all benchmarks and print their tables (about 8 minutes; bench/README.md says what they mean)
	@for file in bench/*.bench.ts; do echo; node $$file; done
