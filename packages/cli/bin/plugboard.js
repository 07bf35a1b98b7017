#!/usr/bin/env node
// Committed, not built: npm links and marks a command as executable at install time, before anything is compiled.
import "../dist/main.js";
