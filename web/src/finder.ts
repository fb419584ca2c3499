// Words to look for: a regular expression if it is one, else just text.  Upper and lower case are the same.

export function finderOf(text: string): ((name: string) => boolean) | null {
  if (!text) return null;
  try {
    const expression = new RegExp(text, 'i');
    return (name) => expression.test(name);
  } catch {
    const plain = text.toLowerCase();
    return (name) => name.toLowerCase().includes(plain);
  }
}

/** The text as a regular expression that means just it, for the server's filter. */
export function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
