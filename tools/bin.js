#!/usr/bin/env node
// npm links a command only if its file exists when it installs. In a clone, `dist` is built after that.
import './dist/cli.js'
