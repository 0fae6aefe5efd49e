# Developer commands. `make` lists them; each one runs `setup` if necessary.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

bin := .venv/bin
parallel := -n $(or $(WORKERS),2) --dist loadfile --no-loadscope-reorder
export PYTHON TORCH

help: ## list these commands
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 21

setup: ## install everything into .venv (PYTHON=/path/to/python3.11 selects the Python)
	@.ci/setup

demo: setup ## run a stack in a temporary folder, play a conversation, ask questions
	@$(bin)/ricordo demo $(ARGS)

up: setup ## run the local stack until Ctrl-C (ARGS="--data-dir DIR")
	@$(bin)/ricordo up $(ARGS)

test: setup ## run the tests, against real local servers (ARGS="-k name", WORKERS=2)
	@$(bin)/pytest $(parallel) -m "not slow and not chaos and not evaluation and not lab and not neo4j and not llm" $(ARGS)

test-fast: setup ## unit and contract tests only, for the inner loop (ARGS="-k name", WORKERS=2)
	@$(bin)/pytest $(parallel) -m "not slow" --hypothesis-profile=fast tests/unit tests/contract $(ARGS)

test-slow: setup ## run the slow tests, which restart and kill whole systems (ARGS="-k name", WORKERS=2)
	@$(bin)/pytest $(parallel) -m "slow and not chaos and not evaluation and not lab" $(ARGS)

size: setup ## lines and files of Python by area; fails above the budget in pyproject.toml
	@$(bin)/python .ci/size

test-lab: setup ## each benchmark, once and small, against a whole system; minutes
	@$(bin)/pytest -m lab tests/e2e $(ARGS)

test-gliner: setup ## run the tests of GLiNER in .venv-gliner, with PyTorch (TORCH=torch==2.13.0 selects its build)
	@.ci/setup-gliner
	@.venv-gliner/bin/python -m pytest tests/integration/models/test_gliner.py $(ARGS)

test-agents: setup ## run the tests of the agent frameworks in .venv-agents, which are large and not locked
	@.ci/setup-agents
	@.venv-agents/bin/python -m pytest tests/agent_frameworks $(ARGS)

test-neo4j: setup ## run the tests of the graph on Neo4j itself, which Maven brings; needs Java 17 or later
	@.ci/neo4j $(ARGS)

test-image: setup ## carry out the Dockerfile's steps without Docker, and let the image's workers serve (as root)
	@.venv/bin/python .ci/image

test-llm: setup ## run the steps of the language model on real ones, which Go builds and PyPI brings; half an hour
	@.ci/llm $(ARGS)

test-http: setup ## ask a gateway what its OpenAPI document allows and what not, by Schemathesis in .venv-http; three minutes
	@.ci/http $(ARGS)

browser: setup ## what the tests of the album need: Playwright, and Chromium where apt may bring it
	@.ci/browser

check: setup ## check style, types, imports and schemas
	@$(bin)/ruff check .
	@$(bin)/ruff format --check .
	@$(bin)/mypy
	@$(bin)/lint-imports --no-logo
	@$(bin)/python -m docs.write_schemas schemas --check
	@$(bin)/python .ci/size > /dev/null

fmt: setup ## format the sources
	@$(bin)/ruff check --fix --exit-zero --quiet .
	@$(bin)/ruff format .

schemas: setup ## generate schemas/ from the message models
	@$(bin)/python -m docs.write_schemas schemas

bench: setup ## print figures of speed and size (NAME=queue for one of them, ARGS=--json)
	@$(bin)/ricordo bench $(NAME) $(ARGS)

chaos: setup ## kill processes under load, and count lost and duplicated data; about an hour
	@$(bin)/pytest -m chaos tests/chaos tests/e2e $(ARGS)

eval: setup ## measure quality on your data set (NAME=retrieval DATA=FILE)
	@$(bin)/ricordo eval $(NAME) $(if $(DATA),--data $(DATA)) $(ARGS)

lock: setup ## update requirements.lock (ARGS=--upgrade for the newest versions)
	@$(bin)/uv pip compile pyproject.toml --extra lab --extra gateway --group dev --universal --python-version 3.11 \
		--only-binary :all: --generate-hashes --no-header --no-emit-index-url --annotation-style line \
		--quiet $(ARGS) --output-file requirements.lock

docs: setup ## build the documentation site in build/docs; a broken link is an error
	@.ci/docs

clean: ## remove build output and caches (keeps .venv)
	@rm -rf build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage
	@find shared services tests -name __pycache__ -prune -exec rm -rf {} +

.PHONY: help setup browser demo up test test-fast size test-lab test-gliner test-agents test-neo4j test-llm test-image test-http check fmt schemas bench chaos eval lock docs clean
