"""Where things are and who we are: from the command line, the environment, and two settings files."""

from tidegate.settings.files import Found, SettingsFileError, find_files
from tidegate.settings.loading import DEFAULT_MAX_MB, MAX_SIZE_VARIABLE, Cleaning, Settings, load_settings
from tidegate.settings.monitor import MONITOR_THEMES, Ascii, KeySetting, MonitorSettings, Notify, NotifyBy
from tidegate.settings.sources import DEFAULT_ORIGIN

__all__ = [
    "DEFAULT_MAX_MB",
    "DEFAULT_ORIGIN",
    "MAX_SIZE_VARIABLE",
    "MONITOR_THEMES",
    "Ascii",
    "Cleaning",
    "Found",
    "KeySetting",
    "MonitorSettings",
    "Notify",
    "NotifyBy",
    "Settings",
    "SettingsFileError",
    "find_files",
    "load_settings",
]
