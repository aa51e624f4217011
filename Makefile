# Thin: every target is a line or two that you could type yourself. `make help` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help

# Where the main job writes. A study that was interrupted goes on with `make run RUN=runs/<name>`.
RUN ?= runs/color-$(shell date +%Y%m%d-%H%M%S)
laxity := build/release/apps/laxity/laxity

.PHONY: help run test test-long scale bench bench-smoke docs check clean
help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

run:  ## install what is missing, build, run the graph coloring study (about three minutes), write its report
	@scripts/bootstrap run
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release --target laxity_cli docs
	$(laxity) color --workers 1t,2t,1p,2p --mode 0,1,2,3,4 --replicates 5 --nodes 2048 --duration 1.5 --output $(RUN) --report

test:  ## install what is missing, build everything, pass all tests (about a quarter of an hour on two cores)
	@scripts/bootstrap test
	@scripts/test dev

test-long:  ## the tests that are too long for every day: wider searches, more kills, more seeds
	@scripts/bootstrap test
	@scripts/test dev-long

scale:  ## graph coloring on up to 64 simulated ranks, with a report (needs SimGrid; a few minutes)
	@scripts/bootstrap scale
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release --target laxity_cli smpi_ranks
	$(laxity) scale --report

bench:  ## the benchmarks, with the peers beside us
	@scripts/bootstrap bench
	@scripts/bench

bench-smoke:  ## every benchmark for a moment, to see that it runs
	@scripts/bootstrap bench
	@scripts/bench --smoke

docs:  ## manual page and shell completions into build/release/docs
	@scripts/bootstrap run
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release --target docs

check:  ## format, lint, layers: what a reviewer should not have to look for
	@scripts/bootstrap check
	@scripts/check

clean:  ## remove what was built; runs/ and .venv/ stay
	rm -rf build
