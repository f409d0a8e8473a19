export function collectProse(): string;
