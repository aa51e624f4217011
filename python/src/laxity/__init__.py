"""Statistics, plots and reports of programs that do not wait.

Reads the run directories that the ``laxity`` command line writes (``docs/run_format.md``)::

    from laxity.run_directory import RunDirectory
    from laxity.treatments import treatments

    study = RunDirectory.open("runs/first-light")
    for treatment in treatments([study]):
        print(treatment.group.title, treatment.mode.title, treatment.rate)

Modules: ``run_directory`` (reading), ``bootstrap`` and ``quality_of_service`` (statistics), ``treatments`` (what is
compared with what), ``findings`` (the result in words), ``table``, ``plots`` and ``report`` (showing it).
"""

from laxity.error import LaxityError, ReportError, RunDirectoryError

__version__ = "0.1.0"
__all__ = ["LaxityError", "ReportError", "RunDirectoryError", "__version__"]
