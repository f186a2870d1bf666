# SPDX-License-Identifier: MIT
"""What parameters and fields mean, by their names, and what values are sensible for each meaning.

A name that is not here has the meaning of its type (TYPES). A value is written as in a program (text.py). Each choice is as
likely as the others of its meaning; odd values, the same for all, are mixed in by the guest (supervisor/values.c).
"""

# By call (or struct) and name, if the name alone does not tell.
EXACT = {
    "process_write.address": "child_address", "process_write.bytes": "size",
    "process_kill.pid": "victim", "process_await_end.bits": "bits",
    "memory_new.bytes": "length", "file_create.bytes": "length", "file_resize.bytes": "length",
    "region_resize.bytes": "length", "region_protect.bytes": "length", "region_commit.bytes": "length",
    "region_decommit.bytes": "length", "region_resize.address": "region", "region_destroy.address": "region",
    "region_protect.address": "region", "region_commit.address": "region", "region_decommit.address": "region",
    "text_patch.address": "code", "file_supply.status": "supply_status",
    "monitor_done.request_id": "event_id", "monitor_done.result": "small", "sampling_change.session": "sampling",
    "sampling_stop.session": "sampling", "sampling_read.session": "sampling", "sampling_stat.session": "sampling",
    "workload_stop.id": "workload", "workload_status.id": "workload", "workload_start.command": "command",
    "option.name": "option", "net_receive.count": "small", "trace_set_mode.mode": "small", "net_send.frame": "buffer",
    "block_read.offset": "block_offset", "block_write.offset": "block_offset", "dispatcher_create.cpu": "other_cpu",
    "dispatcher_create.upcall_stack": "stack", "region_list.pid": "pid",
    "sys_process_new.name": "name", "sys_process_new.rights": "rights", "sys_process_new.priority": "priority",
    "sys_process_new.memory_limit": "limit", "sys_region.address": "free_address", "sys_region.bytes": "length",
    "sys_region.kind": "region_kind", "sys_region.prot": "prot", "sys_region.memory": "memory", "sys_region.flags": "bool",
    "sys_region.offset": "offset", "sys_process_start.pc": "code", "sys_process_start.toc": "toc",
    "sys_process_start.sp": "stack", "sys_process_start.argument": "small", "sys_monitor_request.operation": "operation",
    "sys_process_image.upcall_entry": "code", "sys_process_image.upcall_toc": "toc",
    "sys_sampling.flags": "bool", "sys_sampled_event.event": "pmu_event", "sys_sampled_event.filter": "filter",
    "sys_sampled_event.period": "period", "sys_sampled_event.randomise": "small", "sys_sampling.callers": "small",
    "sys_sampling.event_count": "count", "sys_sampling.cpu_mask": "cpu_mask",
    "sys_pmu_counting.item_count": "count", "sys_pmu_counting.set_count": "one", "sys_pmu_counting.cpu_mask": "cpu_mask",
    "sys_pmu_counting.slice_event": "slice_event", "sys_pmu_counting.flags": "counting_flags",
    "sys_pmu_counting.slice": "slice", "sys_pmu_counting.shares": "share", "sys_pmu_item.event": "pmu_event",
    "sys_pmu_item.filter": "filter", "sys_pmu_item.set": "zero", "sys_net_frames.addresses": "buffer",
    "fs.open.flags": "fs_flags", "fs.give.child": "pid", "fs.read.flags": "bool",
    "fs.write.flags": "bool", "fs.read.offset": "file_offset", "fs.write.offset": "file_offset",
    "fs.seek.offset": "file_offset", "fs.seek.whence": "small", "fs.truncate.bytes": "length", "fs.open.path": "path",
    "fs.mount.point": "path", "fs.mount.service": "service", "names.register.name": "service",
    "names.lookup.name": "service", "names.unregister.name": "service", "net.open.wake": "endpoint",
    "net_session.set_option.option": "small", "net_session.listen.backlog": "small",
}

# By name alone.
NAMES = {
    "process": "process", "memory": "memory", "endpoint": "endpoint", "file": "file", "cap": "cap", "pid": "pid", "cpu": "cpu",
    "slot": "slot", "status": "status", "bits": "bits", "typed_bits": "bits", "interrupt_bits": "bits", "offset": "offset",
    "address": "buffer", "deadline": "deadline", "prot": "prot", "token": "number", "badge": "number", "index": "index",
    "cursor": "cursor", "session": "counting", "mask": "majors", "majors": "majors", "period": "period", "randomise": "small",
    "position": "cursor", "name": "name", "reserved": "zero", "reserved2": "zero", "upcall_stack": "stack", "bytes": "size",
    "count": "size", "from": "path", "to": "path", "path": "path", "socket": "socket", "port": "port", "handle": "handle",
}

# Where a name means something else in the interfaces of servers.
METHOD_NAMES = {"file": "handle", "address": "internet", "index": "small"}

TYPES = {"u64": "number", "s64": "number", "u32": "small", "s32": "small", "bool": "bool", "cap_t": "cap", "u8": "small",
         "u16": "small"}

CAPS = ["process.0", "process.1", "memory.0", "memory.1", "endpoint.0", "endpoint.1", "file.0", "any.0", "any.1", "any.2",
        "any.3", "slot.image", "slot.common", "slot.hub", "slot.fs", "slot.names", "slot.peer", "slot.silent"]
CODE = ["@text", "@text+4", "@entry", "@upcall", "@landing", "@area", "@area_executable", "@hole", "@data"]

CHOICES = {
    "zero": ["0", "0", "0", "1"],
    "one": ["1", "1", "1", "2"],
    "bool": ["0", "1", "0", "1", "2"],
    "small": ["0", "1", "2", "3", "4", "5", "7", "8", "15", "16", "17"],
    "number": ["0", "1", "0x1234", "event.id", "event.badge", "@data", "any.0", "0xc000000000c00000"],
    "process": ["process.0", "process.0", "process.0", "process.1", "slot.peer", "any.0", "memory.0", "endpoint.0"],
    "own_or_child": ["0", "0", "0", "0", "0", "process.0", "process.0", "slot.peer", "endpoint.0", "memory.0"],
    "memory": ["memory.0", "memory.0", "memory.1", "file.0", "slot.common", "slot.image", "slot.slot", "any.0", "endpoint.0",
               "process.0"],
    "endpoint": ["endpoint.0", "endpoint.0", "endpoint.1", "slot.hub", "slot.hub", "slot.silent", "slot.fs", "slot.names", "any.0",
                 "memory.0", "process.0"],
    "link": ["link.0", "link.0", "link.1", "endpoint.0", "slot.fs"],
    "file": ["file.0", "file.0", "file.1", "memory.0", "slot.image", "endpoint.0", "any.0"],
    "cap": CAPS,
    "slot": ["1", "2", "3", "15", "16", "0", "4"],
    "pid": ["pid.self", "pid.self", "pid.child.0", "pid.peer.0", "pid.peer.1", "pid.parent", "pid.service.0", "pid.service.1",
            "pid.service.3", "0"],
    "victim": ["pid.child.0", "pid.child.0", "pid.child.1", "pid.peer.0", "pid.parent", "pid.service.0", "0"],
    "cpu": ["cpu.own", "cpu.own", "cpu.other", "cpu.count", "0", "1"],
    "other_cpu": ["cpu.other", "cpu.other", "cpu.other", "cpu.own", "cpu.count"],
    "cpu_mask": ["0", "1", "3", "0xff"],
    "status": ["0", "1", "-1", "-3", "-15", "0x10300", "77"],
    "supply_status": ["0", "0", "0", "-12", "-2", "1"],
    "bits": ["1", "2", "0xff", "0", "1"],
    "size": ["0", "1", "8", "48", "64", "256", "511", "512", "513", "1024", "4095", "4096", "4097", "8192", "65535", "65536", "65537"],
    "length": ["0x1000", "0x1000", "0x2000", "0x10000", "0x20000", "0x21000", "0x200000", "0x201000", "1", "0xfff", "0x10000000",
               "0x200000000000"],
    "limit": ["0", "0", "0", "0x1000", "0x10000", "0x100000", "0x1000000"],
    "offset": ["0", "0", "0x1000", "0x2000", "0x1f000", "0x20000", "1", "0x200000"],
    "block_offset": ["0", "512", "4096", "0x10000", "1", "0x4000000"],
    "file_offset": ["0", "0", "0xffffffffffffffff", "1", "4096", "100", "0x100000"],
    "buffer": ["data", "data", "@area", "@area+0x1000", "@message", "@hole", "@window", "@monitor", "@text"],
    "region": ["region.0", "region.0", "region.0", "region.1", "region.0+0x1000", "@area", "@area_other", "@map", "@map_other", "@window",
               "@message", "@monitor", "@text", "@ltt", "@slot", "@stack"],
    "free_address": ["0", "0", "0", "@map", "@map_other", "@map+0x1000", "@map+0x200000", "@hole", "@area_other", "@monitor", "@ltt", "@counts",
                     "@window_other", "@window", "@heap", "@user_end-0x1000", "@user_start", "@stack"],
    "child_address": ["@map", "@map+8", "@map_other", "@image", "@window", "@monitor", "@hole"],
    "region_kind": ["1", "1", "2", "3", "4", "4", "5", "5", "6", "0"],
    "prot": ["3", "3", "1", "5", "4", "0", "2", "7", "8"],
    "rights": ["0", "0", "0", "1", "0x80", "0xff", "0x100"],
    "priority": ["1", "2", "2", "3", "4", "0", "5"],
    "code": CODE,
    "toc": ["@toc", "@toc", "0", "@data"],
    "stack": ["@stack_spare", "@stack_spare", "@stack", "@area+0x8000", "@hole", "@hole+0x100", "@upcall_stack"],
    "deadline": ["now+100", "now+1000", "now", "0", "now-5", "0xffffffffffffffff", "now+1000000"],
    "index": ["0", "1", "2", "3", "5", "8", "13", "21", "34", "55", "100"],
    "cursor": ["0", "0", "0", "1", "2", "100", "0x10000"],
    "operation": [str(number) for number in range(0, 13)],
    "sampling": ["sampling.0", "sampling.0", "sampling.1", "0", "1"],
    "counting": ["counting.0", "counting.0", "counting.1", "0", "1"],
    "workload": ["workload.0", "workload.0", "0", "1"],
    "majors": ["0", "0", "1", "2", "4", "8", "0x10", "0xff", "0xffffffff"],
    "period": ["1000", "10000", "100000", "1000000", "16", "999"],
    "pmu_event": ["1", "1", "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31", "2", "0"],
    "slice_event": ["16", "1", "16", "17"],
    "slice": ["0", "10000", "100000", "1000000"],
    "share": ["1", "1", "100", "1000"],
    "counting_flags": ["0", "1", "2", "3", "4", "5", "7", "8"],
    "filter": ["3", "3", "1", "2", "0"],
    "count": ["1", "1", "2", "2", "0", "3"],
    "event_id": ["event.id", "event.id", "event.id", "0", "event.id+1"],
    "call_id": ["call.0", "call.0", "call.0", "event.id", "call.1", "0", "call.0+1"],
    "call_flags": ["1", "1", "1", "0", "2"],
    "info": ["0", "0", "0", "8", "256", "257", "0x4000", "0x4001", "0x10000", "cap<<memory.0", "cap<<endpoint.0", "cap<<process.0", "cap<<any.0",
             "cap<<slot.hub"],
    "cpu_or_any": ["-1", "-1", "cpu.own", "cpu.other", "cpu.count"],
    "handle": ["handle.0", "handle.0", "handle.0", "handle.1", "handle.2", "0", "handle.0+1"],
    "socket": ["socket.0", "socket.0", "socket.1", "0", "1", "64"],
    "port": ["0", "80", "4242", "5000", "5001", "65535", "65536"],
    "internet": ["0", "0x0a00020f", "0x0a00020f", "0x7f000001", "0xffffffff"],
    "fs_flags": ["1", "1", "2", "3", "5", "7", "0x47", "0x17", "0x0f", "0x2f", "0x41", "0x80"],
    "name": ['"fuzz"', '"a"', '""', '"thirty-one characters, and a NUL"', '"thirty-two characters, and a NUL."', "text.long"],
    "option": ['"run"', '"controller"', '"oneshot"', '"no-such-option"', '""', "text.long"],
    "command": ['"idle:seconds=1"', '"demo:seconds=1,work=1-2-4"', '"churn:seconds=1"', '"dref-storm:calls=1000"', '"no-such-workload"', '"demo:seconds=x"'],
    "path": ['"/tmp/fuzz"', '"/tmp/fuzz/a"', '"/tmp/a"', '"/tmp"', '"/"', '"/bin/sh"', '"/proc"', '"/proc/1/maps"', '"/proc/meminfo"', '"/dev/null"',
             '"/data/a"', '"/tmp/../tmp//a/."', '"tmp"', '""', "text.long", "data"],
    "service": ['"fs"', '"net"', '"proc"', '"fuzz"', '"a"', '""', '"thirty-one characters, and a NUL"', "text.long"],
    "resume": ["data", "data", "data", "data.unaligned", "data.edge", "data.crossing", "@hole", "@window", "@kernel_data"],
    "any_number": ["0", "1", "0x1234"],
    "syscall": ["0", "0xff", "0x100", "0x107", "0x200", "0xffff", "0xffffffffffffffff"],
    "words": ["1", "8", "64", "512"],
}

# How likely a call is, if not as the others (10).
WEIGHTS = {"console_write": 1, "console_type": 1, "exit": 1, "process_kill": 5, "process_monitor": 3, "workload_start": 2, "resume": 6, "wait": 6,
           "dispatcher_create": 14, "region_create": 24, "process_create": 16, "endpoint_create": 16, "memory_new": 16, "file_create": 16,
           "call": 30, "reply": 20, "reply_wait": 16, "send": 16, "poll": 16, "pump": 16, "touch": 30, "execute": 3, "scribble": 4,
           "process_grant": 14, "process_start": 14, "region_destroy": 8}

# Calls that are not made, and why. This is the one place.
EXCLUDED = {
    "power_off": "with RIGHT_POWER it ends the machine, as it promises; without the right the target makes it",
}
