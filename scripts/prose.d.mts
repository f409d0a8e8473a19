export function collectProse(): string;
export function collectMethods(): string;
