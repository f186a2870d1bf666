# SPDX-License-Identifier: MIT
"""A machine that is played by Python, and pushes so many samples a second of its objects."""

import random
import struct
import threading
import time

import dci_pb2 as dci
from machine import TIMEBASE_HZ, Machine, sampling_stat

PUSHES = 25  # a second, as the DCI server while there is much to push
OBJECTS = 300
FIRST = 0x10000
MARK = 0xa5a5 << 48  # of the times in a frame, which are put in when it is sent


class BusyMachine(Machine):
    def __init__(self, rate):
        super().__init__()
        self.batch = rate // PUSHES
        self.add_processes()
        coids = [FIRST + 16 * index for index in range(OBJECTS)]
        self.objects[0].children.extend(coids)
        self.objects += [dci.Object(coid=coid, class_id=3, rep_count=1) for coid in coids]
        begin, first = time.monotonic(), 9 * TIMEBASE_HZ
        self.clock = lambda: first + int((time.monotonic() - begin) * TIMEBASE_HZ)
        self.sampling_begin = first
        self.frames = [self.frame(coids, index) for index in range(3)]
        self.misbehaviour |= {"hello": self.greet, "sampling_start": self.begin}

    def frame(self, coids, index):
        """One with samples of an event; [its bytes, where times are in it]."""
        chosen = random.Random(index)
        code = 0xc000000000100000
        samples = [dci.Sample(time=MARK | number, pc=code + 4 * chosen.randrange(4096),
                              coid=coids[min(int(chosen.expovariate(0.02)), OBJECTS - 1)],
                              flags=dci.SAMPLE_KERNEL | dci.SAMPLE_ATTRIBUTED, thread=3, pid=7)
                   for number in range(self.batch)]
        payload = dci.ServerFrame(event=dci.Event(samples=dci.Samples(
            index=index, samples=samples))).SerializeToString()
        data = bytearray(struct.pack(">I", len(payload)) + payload)
        return data, [data.index(struct.pack("<Q", MARK | number)) for number in range(self.batch)]

    def greet(self, session, request):
        self.system.time = self.clock()
        session.do_hello(request)

    def begin(self, session, request):
        lock, send = threading.Lock(), session.send_bytes

        def send_bytes(data):
            with lock:
                send(data)

        session.send_bytes = send_bytes
        self.sampling_stats = []
        self.sampling_begin = self.clock()
        session.do_sampling_start(request)
        for cpu in range(self.system.cpu_count):
            for index in range(len(self.sampled)):
                sampling_stat(self, cpu, index)
        threading.Thread(target=self.push, args=(session,), daemon=True).start()

    def push(self, session):
        """What is late is made up for: the rate is held as long as the host can."""
        begin, number = time.monotonic(), 0
        try:
            while self.sampler is session:
                number += 1
                time.sleep(max(0, begin + number / PUSHES - time.monotonic()))
                index = number % len(self.sampled)
                data, places = self.frames[index]
                now, step = self.clock(), TIMEBASE_HZ // PUSHES // self.batch
                for at, place in enumerate(places):
                    struct.pack_into("<Q", data, place, now - (self.batch - at) * step)
                sampling_stat(self, 0, index).taken += self.batch
                session.send_bytes(data)
        except OSError:
            pass  # the gateway has ended
