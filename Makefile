# Thin over the CMake presets. `make help` lists the targets; developers may call cmake and ctest directly.
.PHONY: all setup demo op test site matrix packages check-packages check-sources torches release refusals docs zoo roads compression compression_sizes forms onnx fuzz hostile lies localise mutants pictures programs streaming same structure exported_operators bench cost format tidy clean help
.DEFAULT_GOAL := all
unexport MAKEFLAGS MAKELEVEL  # ninja and ctest are not children that share make's jobs

SHELL := bash
.SHELLFLAGS := -o pipefail -c

# What the set-up found, then a build; progress on a terminal, else failures only.
environment = set -a && . build/env.sh && set +a
build = $(environment) && \
  { [ -f build/$(1)/build.ninja ] || { echo "building into build/$(1)" && cmake --preset $(1) >/dev/null; }; } && \
  if [ -t 1 ]; then cmake --build --preset $(1) $(2); \
  else cmake --build --preset $(1) $(2) -- --quiet | sed '/^ninja: no work to do/d'; fi

##= Every day

all: ## build/t2nnef, with build/libt2nnef.so and build/libt2nnef_torch.so; installs what is missing
	@cmake/setup.sh build
	@$(call build,release,--target t2nnef libt2nnef_torch)

setup: ## install what is missing: Debian packages if root, the rest under build/
	@cmake/setup.sh test

demo: ## export a fixture, run it in tract (else the reference interpreter) and compare with torch
	@cmake/setup.sh run
	@$(call build,release,--target t2nnef libt2nnef_torch)
	@mkdir -p build/demo
	@$(environment) && set -x && \
	  build/t2nnef export fixtures/digits_cnn/model.pt --target tract --check -o build/demo/digits_cnn.nnef.tgz

test: setup ## build and run every test
	@$(call build,release)
	@$(environment) && [ -f build/bad/complete ] && \
	  [ -z "$$(find tests/cli/*.py src/model_file/allowed_operators.txt -newer build/bad/complete)" ] || \
	  { "$$T2NNEF_PYTHON" tests/cli/make_bad_files.py build/bad && touch build/bad/complete; }
	@ctest --preset release

FAMILY ?= activation
op: ## after an edit of an operator family, FAMILY=conv: build, run its tests, write what they list; a minute
	@[ -f tests/ops/test_$(FAMILY).cpp ] || { echo "no tests/ops/test_$(FAMILY).cpp; families: \
	  $(patsubst tests/ops/test_%.cpp,%,$(wildcard tests/ops/test_*.cpp))" >&2; exit 2; }
	@cmake/setup.sh test
	@$(call build,release,--target t2nnef libt2nnef_torch test_coverage test_ops_$(FAMILY))
	@build/t2nnef ops --markdown >docs/operators.md
	@T2NNEF_REWRITE_REFUSALS=test_ops_$(FAMILY) ctest --preset release --fixture-exclude-any . \
	  -R '^(test_ops_$(FAMILY)|test_coverage|fence|names|sizes)$$'
	@git status --short docs/operators.md tests/ops

docs: all ## write docs/operators.md and docs/command_line.md
	@build/t2nnef ops --markdown >docs/operators.md
	@python3 tests/pages/command_line.py build/t2nnef >docs/command_line.md

site: ## build the pages of docs as a site with search into build/site; a broken link is an error
	@cmake/setup.sh site
	@NO_MKDOCS_2_WARNING=1 build/site_tools/bin/mkdocs -q build -f packaging/site/mkdocs.yml
	@echo 'build/site/index.html; its search needs a server: python3 -m http.server --directory build/site'

refusals: ## run the operator tests and write tests/ops/refusals: what strict NNEF refuses
	@cmake/setup.sh test
	@$(call build,release)
	@T2NNEF_REWRITE_REFUSALS=all ctest --preset release -R '^test_(ops_|coverage)'

structure: ## print how large rooms are, how often facts about operators are said, and what else the house rules count
	@python3 tests/fence/structure.py .

same: ## compare what this tree writes with what an older one writes, BASE=COMMIT, byte for byte
	@cmake/setup.sh test
	@$(call build,release)
	@$(environment) && tests/same/run.sh $(BASE) $(ONLY:%=--only %)

exported_operators: ## export the models of all operator tests by torch.export as well, compare tract with Python's torch
	@cmake/setup.sh test
	@$(call build,release)
	@rm -rf build/exported_operators && mkdir -p build/exported_operators
	@$(environment) && T2NNEF_SCRIPT_CASES=$(CURDIR)/build/exported_operators ctest --preset release -R '^test_ops_' \
	  --fixture-exclude-any . >build/exported_operators.log || { tail -n 20 build/exported_operators.log; exit 1; }
	@$(environment) && "$$T2NNEF_PYTHON" tests/pt2/operator_cases.py build/exported_operators \
	  --list build/exported_operators/list.tsv

format: ## rewrite all sources as .clang-format says
	@git ls-files -co --exclude-standard '*.h' '*.cpp' | tr '\n' '\0' | xargs -0 clang-format-14 -i

tidy: ## clang-tidy beside the compiler
	@cmake/setup.sh tidy
	@$(call build,tidy)

clean: ## remove what was built; the set-up's installations stay
	@rm -rf build/release build/dev build/notorch build/tidy build/fuzz build/fuzz-torch build/hostile build/demo build/t2nnef build/libt2nnef*.so

help: ## this list
	@sed -n 's/^##= \(.*\)/\n\1/p; s/^\([a-z_-]*\):.*## /  \1\t/p' Makefile | expand -t 22

##= Packages

packages: ## write a wheel, a .deb and archives without and with LibTorch into build/packages, each with an SBOM
	@cmake/setup.sh packages
	@$(call build,release,--target t2nnef libt2nnef_torch t2n_share)
	@packaging/packages.sh

check-packages: ## install what `packages` wrote in a clean Debian 12, and use it there as the user nobody; as root
	@$(environment) && tests/packages/run.sh

check-sources: ## install the sources by pip in a clean Debian 12, from nothing, and use them there; as root, compiles everything
	@cmake/setup.sh packages
	@mkdir -p build/packages
	@$(environment) && tests/packages/in_clean_root.sh source.sh

torches: ## build the module for LibTorch 2.9, 2.11 and 2.14, and check the fixtures with each and with the one of the build
	@cmake/setup.sh torches
	@$(call build,release,--target t2nnef libt2nnef_torch t2n_share)
	@$(environment) && tests/packages/torches.sh

release: ## build all packages of a commit twice, compare the bytes, write build/packages/SHA256SUMS
	@cmake/setup.sh packages
	@$(call build,release,--target t2nnef libt2nnef_torch t2n_share)
	@packaging/release.sh

##= Pages, campaigns and measurements: minutes to hours

matrix: ## run the operator tests in four engine versions and write docs/matrix.md and what refusals writes
	@cmake/setup.sh matrix
	@$(call build,release)
	@T2NNEF_MATRIX="$(CURDIR)/docs/matrix.md" T2NNEF_REWRITE_REFUSALS=all ctest --preset release -R '^test_(ops_|coverage)'
	@$(environment) && "$$T2NNEF_PYTHON" tests/pages/totals.py docs/matrix.md && "$$T2NNEF_PYTHON" tests/pages/stamp.py docs/matrix.md

zoo: ## export and check published architectures with random weights (hours on two cores)
	@cmake/setup.sh zoo
	@$(call build,release,--target t2nnef libt2nnef_torch)
	@build/venv/bin/python tests/zoo/build.py build/zoo
	@$(environment) && build/venv/bin/python tests/zoo/run.py build/zoo

roads: ## export graph networks, experts, detectors, spotters, streams and caches, run them at other sizes, write docs/zoo_roads.md
	@cmake/setup.sh zoo
	@$(call build,release,--target t2nnef libt2nnef_torch)
	@$(environment) && build/venv/bin/python tests/zoo/roads.py --markdown docs/zoo_roads.md

compression: ## export the trained fixtures under every compression, beside other tools, write docs/compression_table.md
	@cmake/setup.sh peers
	@$(call build,release,--target t2nnef libt2nnef_torch)
	@$(environment) && "$$T2NNEF_PYTHON" tests/compress/table.py --markdown docs/compression_table.md

compression_sizes: ## export models of published sizes under every preset: time and memory, write docs/compression_sizes.md
	@cmake/setup.sh zoo
	@$(call build,release,--target t2nnef libt2nnef_torch)
	@$(environment) && build/venv/bin/python tests/compress/sizes.py --markdown docs/compression_sizes.md

forms: ## measure forms of quantised operations, and int8 models next to float ones, in tract, write docs/forms.md
	@cmake/setup.sh test
	@$(call build,release,--target t2nnef libt2nnef_torch)
	@$(environment) && OMP_NUM_THREADS=1 "$$T2NNEF_PYTHON" tests/forms/forms.py --markdown docs/forms.md

onnx: ## export the zoo for khronos, convert it to ONNX by NNEF-Tools, run it in onnxruntime, write docs/onnx.md
	@cmake/setup.sh zoo
	@cmake/setup.sh onnx
	@$(call build,release,--target t2nnef libt2nnef_torch)
	@build/venv/bin/python tests/zoo/build.py build/zoo_onnx $$(cat tests/onnx/models.txt)
	@build/onnx/bin/python tests/onnx/convert.py build/zoo_onnx --markdown docs/onnx.md
	@$(environment) && PYTHONPATH=$$(echo "$(CURDIR)"/build/onnx/lib/python3*/site-packages) \
	  python3 tests/pages/run_blocks.py build/t2nnef docs/running.md --with onnx

SECONDS ?= 600
fuzz: ## feed the readers with damaged files, SECONDS=600 for each of the five; needs clang 14
	@cmake/setup.sh fuzz
	@$(call build,fuzz)
	@for name in graph quant dat artefact program; do \
	  echo "fuzzing $$name for $(SECONDS) s" && mkdir -p build/fuzz/found/$$name && \
	  build/fuzz/tests/fuzz/fuzz_$$name -max_total_time=$(SECONDS) -timeout=20 -rss_limit_mb=3000 -verbosity=0 \
	    -dict=tests/fuzz/nnef.dict -artifact_prefix=build/fuzz/$$name- \
	    build/fuzz/found/$$name tests/fuzz/corpus/$$name >build/fuzz/$$name.log 2>&1 || \
	    { tail -n 30 build/fuzz/$$name.log; exit 1; }; \
	done

lies: ## make wrong artefacts of right ones, see whether check sees them, write docs/lies.md
	@cmake/setup.sh test
	@$(call build,release,--target t2nnef libt2nnef_torch t2n_lies)
	@$(environment) && tests/lies/run.sh table --markdown docs/lies.md

pictures: ## open pictures of graphs in Chromium: all nodes are found, texts of a model stay texts
	@cmake/setup.sh pictures
	@$(call build,release,--target t2nnef libt2nnef_torch)
	@$(environment) && python3 tests/picture/browser.py build/t2nnef fixtures

localise: ## plant faults in artefacts of five models, see whether check names the layer of each in tract and in the reference
	@cmake/setup.sh test
	@$(call build,release,--target t2nnef libt2nnef_torch)
	@$(environment) && tests/localise/run.sh all

bench: ## measure exports beside LibTorch and other exporters, write docs/speed.md; QUICK=1: small models, two minutes
	@cmake/setup.sh zoo && cmake/setup.sh peers
	@$(call build,release,--target t2nnef libt2nnef_torch t2n_floor)
	@$(environment) && bench/run.sh $(if $(QUICK),quick,all)

cost: ## measure what the layers against hostile files take of an export, write docs/cost.md
	@cmake/setup.sh zoo
	@$(call build,release,--target t2nnef libt2nnef_torch)
	@$(environment) && "$$T2NNEF_PYTHON" bench/models.py build/bench/models resnet18 bert_base && \
	  "$$T2NNEF_PYTHON" bench/cost.py --markdown docs/cost.md fixtures/digits_cnn/model.pt fixtures/char_lm/model.pt \
	    build/bench/models/resnet18/model.pt build/bench/models/bert_base/model.pt && \
	  "$$T2NNEF_PYTHON" tests/pages/stamp.py docs/cost.md

mutants: ## plant small faults in a copy of the sources, see which no test notices, write docs/mutants.md (hours)
	@cmake/setup.sh test
	@$(environment) && python3 tests/mutants/mutate.py

hostile: ## attack the sanitized program, SECONDS=600, then its loader and interpreter with libFuzzer, as long each
	@cmake/setup.sh fuzz
	@$(call build,hostile)
	@$(environment) && T2NNEF_SANITIZED=1 build/venv/bin/python tests/hostile/campaign.py \
	  --program build/hostile/t2nnef --seconds $(SECONDS) --out build/hostile/found \
	  --page docs/hostile.md
	@$(call build,fuzz-torch)
	@mkdir -p build/fuzz-torch/seeds/model build/fuzz-torch/seeds/run && \
	  for folder in fixtures/*/; do name="$$(basename "$$folder")"; \
	    find "$$folder" -name model.pt -size -500k -exec cp {} "build/fuzz-torch/seeds/model/$$name" \;; \
	    cp "$$folder/graph.nnef" "build/fuzz-torch/seeds/run/$$name" 2>/dev/null; done; \
	  cp tests/fuzz/corpus/graph/* build/fuzz-torch/seeds/run/
	@$(environment) && for name in model run; do \
	  echo "fuzzing $$name for $(SECONDS) s" && mkdir -p build/fuzz-torch/found/$$name && \
	  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 build/fuzz-torch/tests/fuzz/fuzz_$$name \
	    -max_total_time=$(SECONDS) -timeout=30 -rss_limit_mb=4000 -verbosity=0 -close_fd_mask=1 \
	    -artifact_prefix=build/fuzz-torch/$$name- build/fuzz-torch/found/$$name build/fuzz-torch/seeds/$$name \
	    >build/fuzz-torch/$$name.log 2>&1 || { tail -n 30 build/fuzz-torch/$$name.log; exit 1; }; \
	done

SEEDS ?= 0-2999
streaming: ## export models with --stream, run them in tract's pulses by a driver of its own, print what is exact
	@cmake/setup.sh test
	@$(call build,release,--target t2nnef libt2nnef_torch)
	@$(environment) && tests/streaming/run.sh --program build/t2nnef

GENERATOR ?= statements layers
programs: ## export random programs, SEEDS=0-2999 GENERATOR=statements|layers (both), and compare tract with torch; findings in build/programs
	@cmake/setup.sh test
	@$(call build,release,--target t2nnef libt2nnef_torch t2n_fork_server)
	@$(environment) && tests/programs/run.sh seeds $(SEEDS) --generators $(GENERATOR)
