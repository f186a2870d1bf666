# SPDX-License-Identifier: MIT
"""kov config, and kov stat --config."""

import pytest


@pytest.fixture(name="config")
def config_command(kov, tmp_path):
    """Runs kov config with a folder of its own."""
    def run(*arguments, **options):
        return kov("config", *arguments, env={"XDG_CONFIG_HOME": str(tmp_path / "home")}, **options)

    run.folder = tmp_path / "home" / "orrery"
    run.env = {"XDG_CONFIG_HOME": str(tmp_path / "home")}
    return run


BUILT_IN = ["IPC", "S000", "TLB misses", "branches", "caches", "locks", "metrics"]


def test_the_built_in_ones_are_listed(config):
    result = config("list", "--json")
    assert [one["name"] for one in result.json["configurations"]] == BUILT_IN
    assert all(one["built_in"] and one["about"] and one["sets"]
               for one in result.json["configurations"])
    assert len(config("list").out.splitlines()) == 1 + len(BUILT_IN)


def test_what_is_saved_is_loaded(config):
    result = config("save", "my locks", "-e", "larx:k@5000,stcx", "-e", "cycles", "--shares", "3,1",
                    "--slice", "20000", "-C", "0-1", "-c", "777", "--about", "what I look at")
    assert result.code == 0, result.err
    assert (config.folder / "my locks.conf").read_text() == (
        "about what I look at\nevents larx:k@5000,stcx\nevents cycles\nshares 3,1\ncpus 0-1\n"
        "slice 20000\nperiod 777\n")
    assert not list(config.folder.glob("*.new"))
    one = config("load", "my locks", "--json").json
    assert one == {"name": "my locks", "built_in": False, "about": "what I look at",
                   "events": "larx:k@5000,stcx,cycles", "sets": ["larx:k@5000,stcx", "cycles"],
                   "shares": "3,1", "cpus": "0-1", "slice": 20000, "period": 777}
    assert [line.split("  ")[0]
            for line in config("list").out.splitlines()[1:]] == sorted(BUILT_IN + ["my locks"])


def test_nothing_is_replaced_without_force(config):
    assert config("save", "x", "-e", "larx").code == 0
    result = config("save", "x", "-e", "stcx")
    assert result.code == 1 and "--force" in result.err
    assert "larx" in config("show", "x").out
    assert config("save", "x", "-e", "stcx", "--force").code == 0
    assert config("show", "x").out == "events stcx\n"


def test_own_ones_go_before_built_in_ones(config):
    assert config("save", "IPC", "-e", "cycles:u").code == 0
    assert "yours, for the built-in" in config("list").out
    assert config("show", "IPC").out == "events cycles:u\n"
    assert config("remove", "IPC").code == 0
    assert "instructions,cycles" in config("show", "IPC").out
    result = config("remove", "IPC")
    assert result.code == 1 and "built in" in result.err


def test_a_file_is_taken_in_if_it_is_good(config, tmp_path):
    (tmp_path / "given").write_text("# from a friend\nevents  larx,stcx\n")
    assert config("load", "theirs", "given").out == "events larx,stcx\n"
    assert (config.folder / "theirs.conf").exists()
    assert config("load", "theirs", "given").code == 1, "not without --force"
    assert config("load", "piped", "-", stdin="events cycles\n").code == 0
    assert config("show", "piped").out == "events cycles\n"
    (tmp_path / "bad").write_text("events larx\n\nperoid 7000\n")
    result = config("load", "bad", "bad")
    assert result.code == 1 and "bad:3: must be about, events" in result.err
    assert not (config.folder / "bad.conf").exists()


@pytest.mark.parametrize("text, message", [
    (b"events larx\nevents larx;stcx\n", ":2: no event"),
    (b"events larx\ncpus x\n", ":2: no list of CPUs"),
    (b"about x\n", "no line with events"),
    (b"events larx\0\n", "no text"),
    (b"# " + b"x" * 9000, "longer than 8192"),
    (b"events larx\nslice 1\n", ":2: '1' is no number from 10000"),
])
def test_mistakes_of_an_editor_are_told_with_their_place(config, text, message):
    config("save", "edited", "-e", "larx")
    (config.folder / "edited.conf").write_bytes(text)
    for arguments in (["load", "edited"], ["show", "edited"]):
        result = config(*arguments)
        assert result.code == 1
        assert f"edited.conf{message}" in result.err or message in result.err
    assert "edited                not valid" in config("list").out
    lines = config("list").out.splitlines()
    assert len(lines) == 2 + len(BUILT_IN), "the others are listed nevertheless"
    assert config("save", "edited", "-e", "stcx", "--force").code == 0


@pytest.mark.parametrize("arguments, text", [
    (["save", "../x", "-e", "larx"], "can be no name"),
    (["save", "x"], "give events"),
    (["save", "-e", "larx"], "give the name"),
    (["save", "x", "-e", "larx stcx"], "no event"),
    (["save", "x", "-e", "larx\nperiod 77"], "line end"),
    (["save", "x", "-e", "larx", "--shares", "1,2"], "1 sets"),
    (["show", "nothing"], "no configuration 'nothing'"),
    (["remove", "nothing"], "no configuration 'nothing'"),
    (["load", "x", "missing"], "cannot read missing"),
])
def test_wrong_usage_is_told(config, arguments, text):
    result = config(*arguments)
    assert result.code in (1, 2)
    assert text in result.err
    assert not config.folder.exists()


def test_a_place_that_cannot_be_written_is_told(kov, tmp_path):
    (tmp_path / "file").write_text("")
    result = kov("config", "save", "x", "-e", "larx",
                 env={"XDG_CONFIG_HOME": str(tmp_path / "file")})
    assert result.code == 1 and "cannot make" in result.err
    result = kov("config", "save", "x", "-e", "larx",
                 env={"XDG_CONFIG_HOME": "relative", "HOME": str(tmp_path / "home")})
    assert result.code == 1 and "home/.config" in result.err, "a relative folder does not count"
    (tmp_path / "home").mkdir()
    assert kov("config", "save", "x", "-e", "larx",
               env={"XDG_CONFIG_HOME": "", "HOME": str(tmp_path / "home")}).code == 0
    assert (tmp_path / "home/.config/orrery/x.conf").exists()


def test_stat_counts_the_events_of_a_configuration(kov, config, machine):
    config("save", "mine", "-e", "larx:u@1000,stcx", "-e", "cycles@50", "--shares", "3,1",
           "--slice", "20000")
    result = kov("stat", "--config", "mine", "-d", "0.1", "--slice", "30000", machine=machine,
                 env=config.env)
    assert result.code == 0, result.err
    start = machine.asked("count_start")[0]
    assert [(item.event, item.mode, item.set)
            for item in start.items] == [(12, 2, 0), (13, 0, 0), (11, 0, 1)]
    assert list(start.shares) == [3, 1]
    assert start.slice == 30000, "the command line goes first"


def test_the_built_in_metrics_are_the_five(kov, config, machine):
    result = kov("stat", "--config", "metrics", "-d", "0.1", "--json", machine=machine,
                 env=config.env)
    assert len(result.json["metrics"]) == 5


def test_stat_tells_what_is_wrong_with_a_configuration(kov, config, machine):
    for arguments, text in ((["--config", "none"], "no configuration 'none'"),
                            (["--config", "IPC", "-e", "larx"], "either --event or --config"),
                            (["--config", "caches"], "no event 'l1i-miss'")):
        result = kov("stat", *arguments, machine=machine, env=config.env)
        assert result.code == 2 and text in result.err
    assert not machine.asked("count_start")


def sampled(machine):
    start = machine.asked("sampling_start")[-1]
    return [(event.event - 16, event.mode, event.period) for event in start.events], start.cpu_mask


def test_record_and_top_sample_the_events_of_a_configuration(kov, config, machine):
    config("save", "mine", "-e", "larx:u@1000,stcx", "-e", "cycles@5000,stcx", "-c", "7000", "-C",
           "1")
    expected = [(12, 2, 1000), (13, 0, 7000), (11, 0, 5000)]
    result = kov("record", "--config", "mine", "-d", "0.1", machine=machine, env=config.env)
    assert result.code == 0, result.err
    assert sampled(machine) == (expected, 2), "all sets at once"
    result = kov("top", "--config", "mine", "-n", "1", "-d", "0.1", "-c", "9000", "--cpus", "1",
                 machine=machine, env=config.env)
    assert result.code == 0, result.err
    expected[1] = (13, 0, 9000)
    assert sampled(machine) == (expected, 1), "the command line goes first"


def test_all_sets_are_sampled_however_many_events_they_have(kov, config, machine):
    result = kov("record", "--config", "metrics", "-d", "0.1", machine=machine, env=config.env)
    assert result.code == 0 and result.err == ""
    assert [event for event, _, _ in sampled(machine)[0]] == [10, 11, 12, 15, 16, 17, 18, 13, 14]


@pytest.mark.parametrize("command", [("record",), ("top", "-n", "1"), ("stat", "--per-object")])
def test_sampling_tells_what_is_wrong_with_a_configuration(kov, config, machine, command):
    for arguments, text in ((["--config", "none"], "no configuration 'none'"),
                            (["--config", "IPC", "-e", "larx"], "either --event or --config"),
                            (["--config", "caches"], "no event 'l1i-miss'")):
        result = kov(*command, *arguments, "-d", "0.1", machine=machine, env=config.env)
        assert result.code == 2 and text in result.err
    assert not machine.asked("sampling_start")


def test_the_thresholds_of_the_thesis_are_one(kov, config, machine):
    """S000 4.3.1, for `make bench-overhead`: whatever the rates are, they stay."""
    assert kov("record", "--config", "S000", "-d", "0.1", machine=machine).code == 0
    names = {one.event: one.name for one in machine.pmu_events}
    (start,) = machine.asked("sampling_start")
    assert {names[one.event - 16]: one.period for one in start.events} == {
        "instructions": 10000000, "cycles": 100000000, "larx": 100000, "stcx": 100000,
        "branches": 10000000, "mispredicted": 10000000, "itlb-miss": 100000, "dtlb-miss": 100000}
    assert not machine.asked("count_start")
