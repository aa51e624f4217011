"""How numbers are written for people."""

from laxity.notation import THIN_SPACE, duration, mean_count, number, percent, signed_percent


def plain(text):
    return text.replace(THIN_SPACE, " ")


def test_negative_numbers_have_a_minus_sign_and_as_many_digits_as_positive_ones():
    for write, value in ((number, 1234.5), (number, 0.25), (percent, 0.28), (percent, 0.00123), (duration, 1500.0)):
        assert write(-value) == "−" + write(value)
    assert mean_count(-1.44) == "−1.4"
    assert plain(mean_count(-3337.3)) == "−3 337"
    assert signed_percent(-0.125) == "−" + percent(0.125)


def test_what_rounds_to_zero_has_no_sign():
    assert mean_count(-0.04) == mean_count(0.0) == "0.0"
    assert plain(percent(-0.0)) == "0.0 %"
