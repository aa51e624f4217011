"""Studies of collectives under arrival patterns: ``laxity arrival``."""

from laxity.studies.arrivals.study import ArrivalStudy

STUDY = ArrivalStudy
