"""Readers: folders of images and tables become items."""
