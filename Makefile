# Everything a person or a machine does with this checkout. The first call of any target sets up `.venv`.
#
#   make demo  [ARGS="--epochs 3"]   two real peers on this machine: in the window where there is a display
#   make test  [ARGS="-k address"]   format, lint, types, tests four at a time; ARGS goes to pytest, such as -n0
#   make quick [ARGS=…]              the same in about six minutes: no test that starts peers or is slow
#   make bench [ARGS=…]              how fast it is, against bare hivemind
#   make soak  [ARGS="--seed 7"]     the tests marked faults, then half an hour of faults; with ARGS that alone
#   make attack [ARGS="--only huge"] attacks on real swarms in one table, then every test that the security page names
#   make experiments [ARGS=--docs]   what a second peer, overlap, compression, adapters, local SGD do; into the documents
#   make scale [ARGS=--docs]         swarms of 100 to 10,000 volunteers, simulated; into the organiser's guide
#   make docs  [ARGS=--check]        write the generated parts of the documents anew, or see whether they are behind
#   make pictures                    take the pictures of README and documents anew; each page in all looks: build/pictures
#   make installer                   dist/workerbee_<version>_amd64.deb, the same bytes each time, and its checks
#   make installer-portable          dist/workerbee-<version>.run, for one person on other distributions
#   make repository ARGS="--key KEY" dist/repository: an apt repository of the .deb, signed with that GPG key
#   make installer-test              install, use, upgrade, purge it in bare Debian 12 and 13 (root; GBs of disk)
#   make clean                       forget `.venv` and what the checks left
#
# PYTHON=… names the Python to build `.venv` with. make itself ends with 2 whenever a command fails and names
# the command's own code in its last line; `.venv/bin/workerbee` gives that code unchanged.

# Without compiled files, each start of a worker would compile torch and hivemind anew, which takes as long as the start.
unexport PYTHONDONTWRITEBYTECODE

SET_UP = @sh installer/python.sh installer/environment.py
WINDOW = $(if $(DISPLAY)$(WAYLAND_DISPLAY),window)

CHECK = .venv/bin/ruff format --check . && .venv/bin/ruff check . && .venv/bin/mypy
# A test process that dies ends the run: pytest-xdist would wait for ever for the tests that it leaves.
FOUR_AT_A_TIME = .venv/bin/pytest -n 4 --max-worker-restart 0
WITHOUT_PEERS = -m "not real and not networks and not slow and not faults"

.PHONY: help demo test quick bench soak attack experiments scale docs pictures installer installer-portable repository installer-test clean

help:
	@sed -n 's/^#   make/make/p' Makefile

demo:
	$(SET_UP) $(WINDOW)
	@.venv/bin/workerbee demo $(ARGS)

test:
	$(SET_UP) test window
	@$(CHECK)
	@$(FOUR_AT_A_TIME) $(ARGS)

quick:
	$(SET_UP) test window
	@$(CHECK)
	@$(FOUR_AT_A_TIME) $(WITHOUT_PEERS) $(ARGS)

bench:
	$(SET_UP) test window
	@.venv/bin/python -m tests.bench $(ARGS)

soak:
	$(SET_UP) test window
	@.venv/bin/python -m installer.lightning
	@$(if $(ARGS),,.venv/bin/pytest -m faults -s)
	@.venv/bin/python -m tests.soak $(ARGS)

attack:
	$(SET_UP) test window
	@.venv/bin/python -m tests.attacks $(ARGS)

experiments:
	$(SET_UP) test experiments
	@.venv/bin/python -m tests.experiments $(ARGS)

scale:
	$(SET_UP) test experiments
	@.venv/bin/python -m tests.scale $(ARGS)

docs:
	$(SET_UP) test
	@.venv/bin/python -m installer.docs $(ARGS)

pictures:
	$(SET_UP) test window
	@.venv/bin/python -m tests.support.pictures

installer:
	$(SET_UP) test window installer
	@.venv/bin/python -m installer.package
	@.venv/bin/python -m installer.package.check

installer-portable:
	$(SET_UP) test window installer
	@.venv/bin/python -m installer.portable

repository:
	$(SET_UP) test window installer
	@.venv/bin/python -m installer.package.repository $(ARGS)

installer-test: installer
	@.venv/bin/python -m tests.packaging.journeys $(ARGS)

clean:
	@rm -rf .venv build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
