"""The settings: the address of a cluster, what is said about it, and what the window works with afterwards."""

import pytest

from algorithms.executor import Inline
from algorithms.maths.words import SentenceError
from mlviz.ui.file_controller import remembered_cluster
from mlviz.ui.file_dialogs import settings
from mlviz.ui.settings_dialog import CLUSTER, SettingsDialog
from mlviz.worker.workplace import Workplace


def connect(address):
    if "right" in address:
        return Inline()
    raise SentenceError(f"There is no Dask scheduler at {address!r}.")


@pytest.fixture
def workplace():
    yield (place := Workplace(connect, Inline))
    place.close()
    settings().remove(CLUSTER)


def opened(qtbot, workplace):
    dialog = SettingsDialog(workplace=workplace)
    qtbot.addWidget(dialog)
    dialog.open()
    return dialog


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("wrong", "There is no Dask scheduler at 'wrong'. This machine does the work."),
        ("right", "There it is: 1 worker."),
        ("", "This machine does the work."),
    ],
)
def test_an_address_can_be_tried(qtbot, workplace, address, sentence):
    dialog = opened(qtbot, workplace)
    dialog.cluster.setText(address)
    dialog.try_button.click()
    qtbot.waitUntil(lambda: dialog.message.text() == sentence)
    dialog.reject()
    assert workplace.address == remembered_cluster() == ""


def test_an_accepted_address_is_kept_and_used(qtbot, workplace):
    dialog = opened(qtbot, workplace)
    dialog.cluster.setText(" right ")
    dialog.accept()
    assert workplace.address == remembered_cluster() == "right"
    again = opened(qtbot, workplace)
    assert again.cluster.text() == "right"
    again.cluster.setText("")
    again.accept()
    assert workplace.address == remembered_cluster() == ""


def test_the_window_has_it_in_the_menu(window, qtbot):
    window.actions_table["settings"].trigger()
    dialog = window.findChild(SettingsDialog)
    assert dialog.isVisible()
    dialog.reject()
