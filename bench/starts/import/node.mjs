// An empty module, to measure the start of Node alone.
export {};
