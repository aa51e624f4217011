"""Prints a line per collective of an OTF2 archive: rank, operation, bytes sent and received, root, members."""

import sys

import otf2

ROOTS = {2**32 - 1: "none", 2**32 - 2: "self"}

with otf2.reader.open(sys.argv[1]) as archive:
    for location, event in archive.events:
        if isinstance(event, (otf2.events.MpiCollectiveEnd, otf2.events.NonBlockingCollectiveComplete)):
            print(
                location.group.name.rpartition(" ")[2],
                str(event.collective_op).rpartition(".")[2].lower(),
                event.size_sent,
                event.size_received,
                ROOTS.get(event.root, event.root),
                len(event.communicator.group.members),
            )
