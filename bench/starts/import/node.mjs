// Node starts a module that does nothing.
export {};
