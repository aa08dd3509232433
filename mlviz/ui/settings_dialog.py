"""The settings of the program that belong to no document: where many models are fitted."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from mlviz.ui.file_controller import CLUSTER, remembered_cluster
from mlviz.ui.file_dialogs import settings
from mlviz.views.plain_text import PlainLabel
from mlviz.views.theme import SPACING
from mlviz.worker.workplace import HERE, WORKPLACE, Workplace

LOOK_MS = 100


class SettingsDialog(QDialog):
    """Asks for the address of a cluster, and says whether there is one. Looking for it never stops the window."""

    def __init__(self, parent: QWidget | None = None, workplace: Workplace = WORKPLACE) -> None:
        super().__init__(parent)
        self.setObjectName("settings_dialog")
        self.setWindowTitle("Settings")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._workplace = workplace
        self.cluster = QLineEdit(remembered_cluster(), objectName="settings_cluster")
        self.cluster.setPlaceholderText("tcp://10.0.0.5:8786")
        self.cluster.setMinimumWidth(320)
        self.cluster.setAccessibleName("Address of a Dask cluster")
        self.hint = PlainLabel(
            "Cross-validation and the choice of a model fit hundreds of models: on all cores of this machine, or on a "
            "Dask cluster that somebody has started. Empty: this machine.",
            objectName="settings_hint",
            wordWrap=True,
        )
        self.hint.setProperty("role", "muted")
        self.message = PlainLabel(objectName="settings_message", wordWrap=True)
        self.try_button = QPushButton("Try the address", objectName="settings_try", autoDefault=False)
        form = QFormLayout()
        form.addRow("Cluster address", self.cluster)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, objectName="settings_buttons"
        )
        self.buttons.addButton(self.try_button, QDialogButtonBox.ButtonRole.ActionRole)
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * SPACING, 2 * SPACING, 2 * SPACING, 2 * SPACING)
        column.setSpacing(SPACING)
        for part in (self.hint, form, self.message, self.buttons):
            column.addWidget(part) if isinstance(part, QWidget) else column.addLayout(part)
        self._look = QTimer(self, objectName="settings_look", interval=LOOK_MS)
        self._look.timeout.connect(self._report)
        self.try_button.clicked.connect(self._try)
        self.cluster.textEdited.connect(self._forget)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.finished.connect(self._look.stop)

    @Slot()
    def accept(self) -> None:
        """Keep the address, and have the next run use it."""
        address = self.cluster.text().strip()
        settings().setValue(CLUSTER, address)
        if address != self._workplace.address:
            self._workplace.use(address)
        super().accept()

    @Slot()
    def reject(self) -> None:
        """As it was before."""
        if self._workplace.address != remembered_cluster():
            self._workplace.use(remembered_cluster())
        super().reject()

    @Slot()
    def _try(self) -> None:
        self._workplace.use(self.cluster.text())
        self._workplace.look_for()
        self.message.setText("Looking for it…" if self.cluster.text().strip() else HERE)
        self._look.start()

    @Slot()
    def _report(self) -> None:
        attempt = self._workplace.look_for()
        if attempt is None or not attempt.over.is_set():
            return
        self._look.stop()
        executor = attempt.executor
        if executor is None:
            self.message.setText(f"{attempt.refusal} {HERE}")
        else:
            self.message.setText(f"There it is: {executor.workers} worker{'' if executor.workers == 1 else 's'}.")

    @Slot()
    def _forget(self) -> None:
        self._look.stop()
        self.message.setText("")
