"""Statistics, plots and reports of programs that do not wait.

Reads the run directories that the ``laxity`` command line writes (``docs/run_format.md``)::

    from laxity.study import open_study
    from laxity.studies.best_effort.treatments import treatments

    study = open_study("runs/first-light")
    for treatment in treatments([study]):
        print(treatment.group.title, treatment.mode.title, treatment.rate)

Modules: ``study`` (a run directory of any kind), ``studies`` (the kinds, a package each), ``intervals`` and
``regression`` (statistics), ``report`` and ``terminal`` (the result).
"""

from laxity.error import LaxityError, ReportError, RunDirectoryError

__version__ = "0.1.0"
__all__ = ["LaxityError", "ReportError", "RunDirectoryError", "__version__"]
