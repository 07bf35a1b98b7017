// The baseline: Node starts a module that does nothing.
