"""Studies of best-effort communication: ``laxity color``, ``laxity scale`` and most of ``laxity study``."""

from laxity.studies.best_effort.study import BestEffortStudy

STUDY = BestEffortStudy
