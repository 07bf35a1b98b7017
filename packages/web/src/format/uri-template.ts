/** Fills URI templates (RFC 6570) with all operators, but without modifiers. Pure. */
const EXPRESSION = /\{([+#./;?&]?)([^{}]*)\}/g;

export function templateVariables(template: string): string[] {
  const names = [...template.matchAll(EXPRESSION)].flatMap(([, , list = ""]) => list.split(",").map(nameOf));
  return [...new Set(names)];
}

export function fillTemplate(template: string, values: { readonly [name: string]: string }): string {
  return template.replace(EXPRESSION, (_, operator: string, list: string) => {
    const parts = list.split(",").flatMap((variable) => {
      const value = values[nameOf(variable)];
      if (value === undefined || value === "") return [];
      const encoded = operator === "+" || operator === "#" ? encodeURI(value) : encodeURIComponent(value);
      return operator === "?" || operator === "&" || operator === ";" ? `${nameOf(variable)}=${encoded}` : encoded;
    });
    if (parts.length === 0) return "";
    const separator =
      operator === "?" || operator === "&"
        ? "&"
        : operator === "" || operator === "+" || operator === "#"
          ? ","
          : operator;
    const prefix = operator === "" || operator === "+" ? "" : operator;
    return prefix + parts.join(separator);
  });
}

/** Returns the name of the variable without a modifier, such as `*` or `:3`. */
function nameOf(variable: string): string {
  return variable.replace(/(?:\*|:\d+)$/, "").trim();
}
