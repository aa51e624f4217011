"""Studies of optimistic simulation with PHOLD: ``laxity phold`` and ``laxity study timewarp``."""

from laxity.studies.timewarp.study import TimewarpStudy

STUDY = TimewarpStudy
