"""A Fourier transform with each algorithm of its collective: ``laxity study fft``."""

from laxity.studies.fft.study import FftStudy

STUDY = FftStudy
