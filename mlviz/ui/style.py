"""The look of the whole application: a style sheet and a palette made from one theme.

Everything is measured in units of eight pixels; every control shows where the keyboard is by an accent-coloured ring;
sizes that belong to text grow with the theme's font, so the presenter's fonts clip nothing.

Widgets ask for a look by the dynamic property ``role``: ``title``, ``muted``, ``error``, ``warning`` (labels),
``primary``, ``flat``, ``small``, ``tool``, ``fold`` (buttons), ``heading`` (a section heading), ``plain`` (a spin box
without arrows: ``NoButtons`` under a style sheet leaves Qt 6.11's spin box one pixel for its text).
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from mlviz.ui import icons
from mlviz.views.colours import blend
from mlviz.views.theme import SPACING, Theme

NAME = "Fusion"
DRESSED = "mlviz_dressed"
"""The style below the style sheet, and the property of an application that has it."""
_WORN, _BARE = "mlviz_worn", "mlviz_bare"
MOST_WORN = 1000
"""After so many rows of forms the sheet is put on anew: Qt has kept about a megabyte of those that went."""


def prepare(app: QApplication, theme: Theme) -> None:
    """The style, the font and the colours, but no style sheet yet.

    For a window that is being put together: under a style sheet every widget that finds its place has all widgets
    inside it dressed anew, so that it is quicker to dress them all at the end.
    """
    if not app.property(DRESSED):  # not app.style(): the style of a style sheet may be gone behind its wrapper
        app.setStyle(NAME)
        app.setProperty(DRESSED, True)
    font = QFont(app.font())
    font.setPointSizeF(theme.font)
    if font != app.font():
        app.setFont(font)
    colours = palette(theme)
    if colours != app.palette():
        app.setPalette(colours)


def apply(app: QApplication, theme: Theme, resting: Sequence[QWidget] = ()) -> None:
    """Dress the application; may be called again at any time.

    What is ``resting`` out of sight is left undressed, with all that is in it: see :func:`dress`.
    """
    sheet = stylesheet(theme)
    if sheet == app.styleSheet() and app.font().pointSizeF() == theme.font:
        return  # every widget would be dressed anew in the same clothes
    if app.styleSheet():
        app.setStyleSheet("")
    for outer in resting:
        if not outer.property(_BARE):
            outer.setProperty(_BARE, True)
            for widget in _inside(outer):
                widget.setAttribute(Qt.WidgetAttribute.WA_WState_Polished, False)
    prepare(app, theme)
    app.setStyleSheet(sheet)
    app.setProperty(_WORN, 0)


def dress(rested: QWidget) -> None:
    """Dress a widget that was left out, and all that is in it, before it is shown."""
    if not rested.property(_BARE):
        return
    rested.setProperty(_BARE, False)
    bare = [one for one in _inside(rested) if not one.testAttribute(Qt.WidgetAttribute.WA_WState_Polished)]
    for kind in (QEvent.Type.Polish, QEvent.Type.StyleChange):
        for widget in bare:
            QCoreApplication.sendEvent(widget, QEvent(kind))


def _inside(outer: QWidget) -> list[QWidget]:
    """A widget and all in it. Not by ``findChildren``: PySide would keep an object for each as long as it lives."""
    return [one for one in QApplication.allWidgets() if one is outer or outer.isAncestorOf(one)]


def wear(rows: int) -> None:
    """So many rows of a form were made, in the place of others."""
    app = QApplication.instance()
    if app is not None:
        app.setProperty(_WORN, (app.property(_WORN) or 0) + rows)


def freshen() -> bool:
    """Put the same sheet on again where many widgets have gone and nobody is at work; whether that was done.

    Under a style sheet Qt keeps some hundred bytes of every spin box and combo box that ever was until the sheet goes:
    tens of megabytes in an hour of looking at methods.
    """
    app = QApplication.instance()
    if not isinstance(app, QApplication) or not app.styleSheet():
        return False
    if app.activeModalWidget() or app.activePopupWidget() or app.mouseButtons() != Qt.MouseButton.NoButton:
        return False
    if (app.property(_WORN) or 0) < MOST_WORN:
        return False
    sheet = app.styleSheet()
    app.setStyleSheet("")
    app.setStyleSheet(sheet)
    app.setProperty(_WORN, 0)
    return True


def palette(theme: Theme) -> QPalette:
    """The colours for whatever Qt draws without the style sheet."""
    role = QPalette.ColorRole
    colours = {
        role.Window: theme.window,
        role.WindowText: theme.text,
        role.Base: theme.surface,
        role.AlternateBase: theme.window,
        role.Text: theme.text,
        role.Button: theme.surface,
        role.ButtonText: theme.text,
        role.BrightText: theme.danger,
        role.ToolTipBase: theme.text,
        role.ToolTipText: theme.window,
        role.PlaceholderText: theme.muted,
        role.Highlight: theme.accent,
        role.HighlightedText: theme.on_accent,
        role.Link: theme.accent,
        role.Light: blend(theme.surface, theme.text, 0.04),
        role.Midlight: blend(theme.surface, theme.text, 0.08),
        role.Mid: theme.border,
        role.Dark: blend(theme.border, theme.text, 0.3),
        role.Accent: theme.accent,
    }
    result = QPalette()
    for key, colour in colours.items():
        result.setColor(key, QColor(colour))
    faded = QColor(blend(theme.text, theme.window, 0.55))
    for key in (role.WindowText, role.Text, role.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, key, faded)
    return result


def icon_size(theme: Theme) -> int:
    """The side of a tool button's icon, in logical pixels: 20 at normal size, 32 when presenting."""
    return 20 if theme.font < 14 else 32


def stylesheet(theme: Theme) -> str:
    """The style sheet for the application."""
    parts = (_base(theme), _buttons(theme), _inputs(theme), _sliders(theme), _lists(theme), _frames(theme))
    return "\n".join(parts)


def _colours(theme: Theme) -> dict[str, str]:
    """The shades between the theme's colours, named by their use."""
    return {
        "hover": blend(theme.surface, theme.text, 0.07),
        "pressed": blend(theme.surface, theme.text, 0.13),
        "tint": blend(theme.surface, theme.accent, 0.16),
        "edge": blend(theme.border, theme.text, 0.22),
        "faded": blend(theme.text, theme.window, 0.55),
        "strong": blend(theme.accent, theme.text, 0.2),
        "groove": blend(theme.surface, theme.text, 0.16),
    }


def _image(name: str, theme: Theme) -> str:
    return f'url("{(icons.folder() / f"{name}_{theme.name}.svg").as_posix()}")'


def _base(theme: Theme) -> str:
    shade = _colours(theme)
    return f"""
QMainWindow, QDialog {{ background: {theme.window}; }}
QWidget {{ color: {theme.text}; }}
QWidget:disabled {{ color: {shade["faded"]}; }}
QLabel, QAbstractButton, QLineEdit, QComboBox, QAbstractSpinBox, QTabBar, QDockWidget, QHeaderView, QMenu, QMenuBar,
QStatusBar, QToolTip {{ font-size: {theme.font:g}pt; }}
QLabel {{ background: transparent; }}
QLabel[role="title"] {{ font-size: {theme.font * 1.25:.1f}pt; font-weight: 600; }}
QLabel[role="heading"] {{ color: {theme.muted}; font-weight: 600; }}
QLabel[role="muted"] {{ color: {theme.muted}; }}
QLabel[role="error"] {{ color: {theme.danger}; }}
QLabel[role="warning"] {{ color: {theme.warning}; }}
QToolTip {{ color: {theme.window}; background: {theme.text}; border: 0; padding: {SPACING // 2}px {SPACING}px; }}
QStatusBar {{ background: {theme.window}; color: {theme.muted}; }}
QStatusBar::item {{ border: 0; }}
"""


def _buttons(theme: Theme) -> str:
    shade = _colours(theme)
    return f"""
QPushButton, QToolButton {{
    background: {theme.surface}; border: 1px solid {theme.border}; border-radius: 6px;
    padding: 5px {SPACING + 4}px; min-height: {theme.font * 1.7:.0f}px; }}
QToolButton {{ padding: 5px; background: transparent; border-color: transparent; }}
QPushButton[role="flat"] {{ background: transparent; border-color: transparent; color: {theme.accent}; }}
QPushButton[role="flat"]:disabled {{ color: {shade["faded"]}; }}
QPushButton:hover, QToolButton:hover, QPushButton[role="flat"]:hover {{ background: {shade["hover"]}; }}
QPushButton:pressed, QToolButton:pressed {{ background: {shade["pressed"]}; }}
QPushButton:checked, QToolButton:checked {{
    background: {shade["tint"]}; border-color: {theme.accent}; color: {theme.accent}; }}
QPushButton:focus, QToolButton:focus {{ border: 2px solid {theme.accent}; padding: 4px {SPACING + 3}px; }}
QToolButton:focus {{ padding: 4px; }}
QPushButton[role="primary"], QToolButton[role="primary"] {{
    background: {theme.accent}; border-color: {theme.accent}; color: {theme.on_accent}; font-weight: 600; }}
QPushButton[role="primary"]:hover, QToolButton[role="primary"]:hover {{ background: {shade["strong"]}; }}
QPushButton[role="primary"]:focus, QToolButton[role="primary"]:focus {{ border: 2px solid {theme.text}; }}
QPushButton[role="primary"]:disabled, QToolButton[role="primary"]:disabled {{
    background: {shade["pressed"]}; border-color: {shade["pressed"]}; color: {shade["faded"]}; }}
QToolButton[role="tool"] {{ padding: 3px; }}
QToolButton[role="tool"]:focus {{ padding: 2px; }}
QToolButton[role="small"] {{ padding: 1px; min-height: 0; border-radius: 4px; }}
QToolButton[role="small"]:focus {{ padding: 0; }}
QToolButton[role="fold"] {{ color: {theme.muted}; font-weight: 600; padding: 3px; }}
QToolButton[role="fold"]:checked {{ background: transparent; border-color: transparent; color: {theme.muted}; }}
QToolButton[role="fold"]:hover {{ background: {shade["hover"]}; }}
QToolButton[role="fold"]:focus {{ border: 2px solid {theme.accent}; padding: 2px; }}
QToolButton[popupMode="1"] {{ padding-right: 18px; }}
QToolButton[popupMode="2"] {{ padding-right: 18px; }}
QToolButton::menu-indicator {{ image: {_image("chevron_down", theme)}; width: 12px; height: 12px;
    subcontrol-origin: padding; subcontrol-position: right center; right: 3px; }}
QToolButton::menu-button {{ border: 0; width: 18px; }}
QToolButton::menu-arrow {{ image: {_image("chevron_down", theme)}; width: 12px; height: 12px; }}
"""


def _inputs(theme: Theme) -> str:
    shade = _colours(theme)
    arrow = round(theme.font * 1.1)
    box = round(theme.font * 1.6)
    return f"""
QLineEdit, QAbstractSpinBox, QComboBox, QPlainTextEdit, QTextEdit {{
    background: {theme.surface}; border: 1px solid {theme.border}; border-radius: 6px; padding: 4px {SPACING}px;
    min-height: {theme.font * 1.7:.0f}px; selection-background-color: {theme.accent};
    selection-color: {theme.on_accent}; }}
QAbstractSpinBox QLineEdit, QAbstractSpinBox QLineEdit:focus, QAbstractSpinBox QLineEdit:hover {{
    border: 0; padding: 0; margin: 0; min-height: 0; background: transparent; }}
QLineEdit QToolButton, QLineEdit QToolButton:hover, QLineEdit QToolButton:focus {{
    border: 0; padding: 0; margin: 0; min-height: 0; background: transparent; }}
QLineEdit:hover, QAbstractSpinBox:hover, QComboBox:hover {{ border-color: {shade["edge"]}; }}
QLineEdit:focus, QAbstractSpinBox:focus, QComboBox:focus, QPlainTextEdit:focus, QTextEdit:focus {{
    border: 2px solid {theme.accent}; padding: 3px {SPACING - 1}px; }}
QLineEdit:disabled, QAbstractSpinBox:disabled, QComboBox:disabled {{ background: {theme.window}; }}
QLineEdit[state="invalid"], QAbstractSpinBox[state="invalid"] {{ border-color: {theme.danger}; }}
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{
    border: 0; background: transparent; width: {arrow + 6}px; subcontrol-origin: border; }}
QAbstractSpinBox::up-button {{ subcontrol-position: top right; margin-top: 2px; }}
QAbstractSpinBox::down-button {{ subcontrol-position: bottom right; margin-bottom: 2px; }}
QAbstractSpinBox::up-arrow {{ image: {_image("chevron_up", theme)}; width: {arrow}px; height: {arrow}px; }}
QAbstractSpinBox::down-arrow {{ image: {_image("chevron_down", theme)}; width: {arrow}px; height: {arrow}px; }}
QAbstractSpinBox[role="plain"]::up-button, QAbstractSpinBox[role="plain"]::down-button {{ width: 0; }}
QAbstractSpinBox[role="plain"]::up-arrow, QAbstractSpinBox[role="plain"]::down-arrow {{
    image: none; width: 0; height: 0; }}
QComboBox {{ combobox-popup: 0; }} /* a list of whole rows that scrolls, not a menu as tall as the screen */
QComboBox::drop-down {{ border: 0; width: {arrow + SPACING}px; }}
QComboBox::down-arrow {{ image: {_image("chevron_down", theme)}; width: {arrow + 2}px; height: {arrow + 2}px; }}
QComboBox QAbstractItemView {{
    background: {theme.surface}; border: 1px solid {theme.border}; padding: 4px; outline: 0;
    selection-background-color: {shade["tint"]}; selection-color: {theme.text}; }}
QComboBox QAbstractItemView::item {{ min-height: {theme.font * 2.4:.0f}px; padding: 0 {SPACING}px; }}
QCheckBox, QRadioButton {{ spacing: {SPACING}px; padding: 4px 2px; background: transparent;
    border: 2px solid transparent; border-radius: 6px; }}
QCheckBox:focus, QRadioButton:focus {{ border-color: {theme.accent}; }}
QCheckBox::indicator, QRadioButton::indicator, QListView::indicator {{
    width: {box}px; height: {box}px; border: 1px solid {shade["edge"]}; border-radius: 4px;
    background: {theme.surface}; }}
QRadioButton::indicator {{ border-radius: {box // 2 + 1}px; }}
QCheckBox::indicator:hover, QRadioButton::indicator:hover {{ border-color: {theme.accent}; }}
QCheckBox::indicator:checked, QRadioButton::indicator:checked, QListView::indicator:checked {{
    background: {theme.accent}; border-color: {theme.accent}; }}
QCheckBox::indicator:checked, QListView::indicator:checked {{ image: {_image("check", theme)}; }}
QRadioButton::indicator:checked {{ border: {box // 3}px solid {theme.accent}; background: {theme.on_accent};
    width: {box - 2 * (box // 3) + 2}px; height: {box - 2 * (box // 3) + 2}px; }}
QCheckBox::indicator:checked:disabled {{ background: {shade["faded"]}; border-color: {shade["faded"]}; }}
"""


def _sliders(theme: Theme) -> str:
    shade = _colours(theme)
    handle = round(theme.font * 1.4)
    return f"""
QSlider {{ min-height: {handle + 6}px; background: transparent; }}
QSlider::groove:horizontal {{ height: 4px; border-radius: 2px; background: {shade["groove"]}; margin: 0 2px; }}
QSlider::sub-page:horizontal {{ background: {theme.accent}; border-radius: 2px; margin: 0 2px; }}
QSlider::handle:horizontal {{
    width: {handle - 4}px; height: {handle - 4}px; margin: {-(handle - 4) // 2}px 0; border-radius: {handle // 2}px;
    background: {theme.surface}; border: 2px solid {theme.accent}; }}
QSlider::handle:horizontal:hover {{ background: {shade["tint"]}; }}
QSlider::handle:horizontal:focus {{ background: {theme.accent}; border-color: {theme.text}; }}
QSlider::sub-page:horizontal:disabled {{ background: {shade["groove"]}; }}
QSlider::handle:horizontal:disabled {{ border-color: {shade["groove"]}; background: {theme.window}; }}
QScrollBar:vertical {{ width: 12px; background: transparent; margin: 0; }}
QScrollBar:horizontal {{ height: 12px; background: transparent; margin: 0; }}
QScrollBar::handle {{ background: {shade["groove"]}; border-radius: 4px; margin: 2px; }}
QScrollBar::handle:vertical {{ min-height: 32px; }}
QScrollBar::handle:horizontal {{ min-width: 32px; }}
QScrollBar::handle:hover {{ background: {shade["edge"]}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
QProgressBar {{ background: {shade["groove"]}; border: 0; border-radius: 4px; text-align: center; }}
QProgressBar::chunk {{ background: {theme.accent}; border-radius: 4px; }}
"""


def _lists(theme: Theme) -> str:
    shade = _colours(theme)
    branch = "QTreeView::branch:has-children:"
    return f"""
QTreeView, QListView, QTableView {{
    background: {theme.surface}; border: 1px solid {theme.border}; border-radius: 6px; outline: 0;
    selection-background-color: {shade["tint"]}; selection-color: {theme.text}; padding: 4px; }}
QTreeView:focus, QListView:focus, QTableView:focus {{ border: 2px solid {theme.accent}; padding: 3px; }}
QTreeView::item, QListView::item {{ padding: 5px 4px; border-radius: 4px; }}
QTreeView::item:hover, QListView::item:hover {{ background: {shade["hover"]}; }}
QTreeView::item:selected, QListView::item:selected {{ background: {shade["tint"]}; color: {theme.text}; }}
QTreeView::branch, QTreeView::branch:selected, QTreeView::branch:hover {{ background: {theme.surface}; }}
{branch}closed {{ image: {_image("chevron_right", theme)}; padding: 2px; }}
{branch}open {{ image: {_image("chevron_down", theme)}; padding: 2px; }}
QHeaderView::section {{ background: {theme.window}; border: 0; border-bottom: 1px solid {theme.border};
    padding: 4px {SPACING}px; color: {theme.muted}; font-weight: 600; }}
QTableView {{ gridline-color: {theme.grid}; }}
QMenuBar {{ background: {theme.window}; }}
QMenuBar::item {{ padding: 4px {SPACING}px; border-radius: 4px; background: transparent; }}
QMenuBar::item:selected {{ background: {shade["hover"]}; }}
QMenu {{ background: {theme.surface}; border: 1px solid {theme.border}; padding: 4px; }}
QMenu::item {{ padding: 6px {SPACING * 3}px 6px {SPACING * 2}px; border-radius: 4px; }}
QMenu::item:selected {{ background: {shade["tint"]}; color: {theme.text}; }}
QMenu::item:disabled {{ color: {shade["faded"]}; }}
QMenu::separator {{ height: 1px; background: {theme.border}; margin: 4px {SPACING}px; }}
"""


def _frames(theme: Theme) -> str:
    shade = _colours(theme)
    return f"""
QDockWidget {{ color: {theme.muted}; font-weight: 600; }}
QDockWidget::title {{ background: {theme.window}; padding: 6px {SPACING}px; text-align: left; }}
QDockWidget::close-button, QDockWidget::float-button {{ border: 0; border-radius: 4px; padding: 1px; }}
QDockWidget::close-button:hover, QDockWidget::float-button:hover {{ background: {shade["hover"]}; }}
QMainWindow::separator {{ background: {theme.window}; width: 6px; height: 6px; }}
QMainWindow::separator:hover {{ background: {theme.accent}; }}
QSplitter::handle {{ background: {theme.window}; }}
QSplitter::handle:hover {{ background: {theme.accent}; }}
QToolBar {{ background: {theme.window}; border: 0; border-bottom: 1px solid {theme.border};
    padding: 4px {SPACING}px; spacing: 2px; }}
QToolBar::separator {{ background: {theme.border}; width: 1px; margin: 4px; }}
QScrollArea {{ background: transparent; border: 0; }}
QScrollArea > QWidget > QWidget[role="page"] {{ background: transparent; }}
QTabWidget::pane {{ border: 1px solid {theme.border}; border-radius: 6px; background: {theme.surface}; top: -1px; }}
QTabBar::tab {{ background: transparent; color: {theme.muted}; padding: 6px {SPACING * 2}px; border: 0;
    border-bottom: 2px solid transparent; }}
QTabBar::tab:hover {{ color: {theme.text}; }}
QTabBar::tab:selected {{ color: {theme.text}; border-bottom: 2px solid {theme.accent}; font-weight: 600; }}
QTabBar::tab:focus {{ color: {theme.accent}; }}
QTabBar QToolButton {{ background: {theme.window}; border: 0; border-radius: 0; padding: 0; min-height: 0; }}
QTabBar QToolButton::left-arrow {{ image: {_image("chevron_left", theme)}; width: 14px; height: 14px; }}
QTabBar QToolButton::right-arrow {{ image: {_image("chevron_right", theme)}; width: 14px; height: 14px; }}
QGroupBox {{ border: 1px solid {theme.border}; border-radius: 6px; margin-top: {theme.font * 1.2:.0f}px;
    padding: {SPACING}px; }}
QGroupBox::title {{ subcontrol-origin: margin; left: {SPACING}px; padding: 0 4px; color: {theme.muted}; }}
QFrame[role="nested"] {{ border: 0; border-left: 2px solid {theme.border}; }}
QFrame[role="separator"] {{ background: {theme.border}; border: 0; max-height: 1px; }}
QFrame[role="popup"] {{ background: {theme.surface}; border: 1px solid {shade["edge"]}; border-radius: 8px; }}
"""
