"""What the cascade looks like on points, and while a feature slides over a picture, as approved."""

from PySide6.QtGui import QImage

from algorithms import find
from mlviz.data.spec import load_data
from mlviz.export.render import Style, render_picture

CASCADE = find("cascade")


def test_regions_that_pass_and_points_that_are_dropped(qapp, approved, tmp_path):
    points = load_data("blobs_imbalanced(n=240,noise=1.2,centres=2,imbalance=8,spread=3,seed=3)")
    chosen = CASCADE.make_params({"stages": 3, "false_positives": 0.4})
    render_picture(CASCADE, points, chosen, 0, tmp_path / "a.png", style=Style(size=(800, 600), theme="dark"))
    approved(QImage(str(tmp_path / "a.png")), "panel-cascade-points")


def test_a_feature_slides_over_a_picture(qapp, approved, tmp_path):
    pictures = load_data("masks(n=40,fraction=0.4,seed=1)")
    chosen, style = CASCADE.make_params({"stages": 1, "mining": False}), Style(size=(480, 300), only="features")
    render_picture(CASCADE, pictures, chosen, 0, tmp_path / "a.png", step=26, style=style)
    approved(QImage(str(tmp_path / "a.png")), "panel-cascade-sliding")
