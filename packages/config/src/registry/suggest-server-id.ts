/** Suggests an id for a server of a registry, such as `weather` for `io.github.user/weather-mcp`. */
export function suggestServerId(name: string): string {
  const [namespace = "", last = ""] = name.split("/");
  // Namespaces are domain names in reverse order, so their last part is the most specific.
  const words = [significantWords(last), significantWords(namespace).slice(-1)].find((found) => found.length > 0);
  return (words ?? ["server"]).join("-").slice(0, 64);
}

function significantWords(text: string): string[] {
  return text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "" && !/^(?:mcp|server)$/i.test(word));
}
