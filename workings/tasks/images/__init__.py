"""The images task: image files, preprocessing, training, predicting."""
