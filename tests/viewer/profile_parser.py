# SPDX-License-Identifier: MIT
"""Reads pprof profiles from their bytes, by the rules of the wire format and the published numbers
of the fields. It does not use the schema that kov is built with."""

import gzip


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """Returns [(number, int or bytes)] of a message."""
    found, at = [], 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            length, at = varint(data, at)
            assert at + length <= len(data), "a field passes the end of its message"
            value, at = data[at:at + length], at + length
        else:
            raise AssertionError(f"profile.proto has no fields of wire type {key & 7}")
        found.append((key >> 3, value))
    return found


def numbers(message, number):
    """Returns a repeated integer, packed or not."""
    values = []
    for field, value in message:
        if field == number and isinstance(value, bytes):
            at = 0
            while at < len(value):
                one, at = varint(value, at)
                values.append(one)
        elif field == number:
            values.append(value)
    return values


def number(message, field):
    values = numbers(message, field)
    return values[-1] if values else 0


def messages(message, number_of_field):
    return [fields(value) for field, value in message if field == number_of_field]


class Profile:
    def __init__(self, path):
        profile = fields(gzip.decompress(path.read_bytes()))
        known = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}
        assert {field for field, _ in profile} <= known
        self.texts = [value.decode() for field, value in profile if field == 6]
        assert self.texts[0] == "" and len(set(self.texts)) == len(self.texts)
        self.types = [(self.texts[number(one, 1)], self.texts[number(one, 2)])
                      for one in messages(profile, 1)]
        self.period = number(profile, 12)
        self.period_type = [self.texts[number(one, 1)] for one in messages(profile, 11)]
        self.duration = number(profile, 10)
        self.comments = [self.texts[one] for one in numbers(profile, 13)]
        self.default_type = self.texts[number(profile, 14)]
        self.mappings = self.by_id(messages(profile, 3), lambda one: {
            "start": number(one, 2), "limit": number(one, 3), "file": self.texts[number(one, 5)],
            "build_id": self.texts[number(one, 6)], "has_functions": number(one, 7)})
        self.functions = self.by_id(messages(profile, 5), lambda one: {
            "name": self.texts[number(one, 2)], "file": self.texts[number(one, 4)]})
        self.locations = self.by_id(messages(profile, 4), self.location)
        self.samples = [self.sample(one) for one in messages(profile, 2)]

    @staticmethod
    def by_id(list_of_messages, make):
        found = {number(one, 1): make(one) for one in list_of_messages}
        assert 0 not in found and len(found) == len(list_of_messages), "ids are unique and not 0"
        return found

    def location(self, one):
        mapping, address = number(one, 2), number(one, 3)
        if mapping:
            assert self.mappings[mapping]["start"] <= address < self.mappings[mapping]["limit"]
        lines = [(self.functions[number(line, 1)], number(line, 2)) for line in messages(one, 4)]
        return {"mapping": self.mappings.get(mapping), "address": address, "lines": lines}

    def sample(self, one):
        labels = {}
        for label in messages(one, 3):
            text, value = number(label, 2), number(label, 3)
            assert not (text and value), "a label is a text or a number"
            labels[self.texts[number(label, 1)]] = self.texts[text] if text else value
        values = numbers(one, 2)
        assert len(values) == len(self.types)
        return {"stack": [self.locations[id] for id in numbers(one, 1)], "values": values,
                "labels": labels}

    def sum(self, type_name):
        at = [name for name, _ in self.types].index(type_name)
        return sum(sample["values"][at] for sample in self.samples)
