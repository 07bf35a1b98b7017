#!/usr/bin/env node
// Committed and not built, because npm links the command at install time, before the build.
import "../dist/main.js";
