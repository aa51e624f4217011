# Every target is a line or two that you could type yourself. `make help` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help

# The run directory of `make run`. An interrupted study resumes with `make run RUN=runs/<name>`.
RUN ?= runs/color-$(shell date +%Y%m%d-%H%M%S)
laxity := build/release/apps/laxity/laxity

# Where `make install` installs to.
PREFIX ?= /usr/local

.PHONY: help run install wheel test test-long scale bench bench-smoke docs check clean
help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

run:  ## install missing packages, build, run the graph coloring study (about three minutes), write its report
	@scripts/bootstrap run
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release --target laxity_cli docs
	$(laxity) color --workers 1t,2t,1p,2p --mode 0,1,2,3,4 --replicates 5 --nodes 2048 --duration 1.5 --own-tori --output $(RUN) --report

install:  ## build, then install the command, library, manual page and completion into PREFIX (/usr/local)
	@scripts/bootstrap run
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release --target laxity_cli docs
	@cmake --install build/release --prefix $(PREFIX)

wheel:  ## command, extension module and analysis package as one Python wheel in build/wheels/dist, tried in an empty environment
	@scripts/bootstrap run
	@scripts/wheel

test:  ## install missing packages, build everything, run all tests (about a quarter of an hour on two cores)
	@scripts/bootstrap test
	@scripts/test dev

test-long:  ## the long tests: wider searches, more kills, more seeds
	@scripts/bootstrap test
	@scripts/test dev-long

scale:  ## graph coloring on up to 64 ranks under SimGrid, with a report (a few minutes)
	@scripts/bootstrap scale
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release --target laxity_cli smpi_ranks
	$(laxity) scale --report

bench:  ## the benchmarks, with other libraries in the same run
	@scripts/bootstrap bench
	@scripts/bench

bench-smoke:  ## a short run of every benchmark, to see that it works
	@scripts/bootstrap bench
	@scripts/bench --smoke

docs:  ## manual page and shell completions (build/release/docs), documentation site (build/site)
	@scripts/bootstrap docs
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release --target laxity_cli laxity_python docs
	@scripts/site

check:  ## layers, words, commit messages, format, lint
	@scripts/bootstrap check
	@scripts/check

clean:  ## remove what was built; runs/ and .venv/ stay
	rm -rf build
