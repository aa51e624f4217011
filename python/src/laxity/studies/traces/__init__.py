"""Traced MPI programs: ``laxity trace``."""

from laxity.studies.traces.study import TraceStudy

STUDY = TraceStudy
