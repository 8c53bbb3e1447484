# The short names of everything one does here; CMake and Ninja do the work.
BUILD ?= build/release
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60
MARRAM = $(BUILD)/marram

.PHONY: setup build demo test bench install heavy exhaustive fuzz format clean
.NOTPARALLEL:

build: setup-build
	cmake --preset release
	cmake --build --preset release -j $(JOBS)

# What building needs, and what testing needs beside; both do nothing when it is there.
.PHONY: setup-build
setup-build:
	@scripts/setup build

setup:
	@scripts/setup all

demo: build
	@scripts/demo $(MARRAM)

test: setup build
	ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure

bench: build
	@for bench in $(BUILD)/bench/bench_*; do \
	    if [ -f "$$bench" ] && [ -x "$$bench" ]; then "$$bench" || exit 1; fi; \
	done

# PREFIX=... installs elsewhere than /usr/local.
install: build
	cmake --install $(BUILD) $(if $(PREFIX),--prefix $(PREFIX))

heavy: setup build
	@tools/heavy.sh

# Every argument of every f32 function; hours on a small machine.
exhaustive: build
	cmake --build --preset release --target exhaustive
	@for program in $(BUILD)/test/exhaustive_*; do \
	    if [ -f "$$program" ] && [ -x "$$program" ]; then "$$program" || exit 1; fi; \
	done

# FUZZ_SECONDS=600 for ten minutes a target.
fuzz: setup
	@tools/fuzz.sh $(FUZZ_SECONDS)

format:
	git ls-files '*.c' '*.h' | xargs clang-format -i

clean:
	rm -rf build out
