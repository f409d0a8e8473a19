/** The kernel's picture: three blocks, joined into a pipeline. */
export const logoSvg = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" viewBox="0 0 64 64">
<rect x="2" y="2" width="60" height="60" rx="12" fill="#1f3a5f"/>
<path d="M19 21h12a13 13 0 0 1 13 13v9M19 21v22h25" fill="none" stroke="#7fa8d9" stroke-width="3"/>
<rect x="10" y="12" width="18" height="18" rx="4" fill="#ffb454"/>
<rect x="10" y="35" width="18" height="18" rx="4" fill="#59c2a3"/>
<rect x="36" y="35" width="18" height="18" rx="4" fill="#f5f7fa"/>
</svg>
`;

/** The picture as PNG, `size` pixels wide and high. */
export async function logoPng(size: number): Promise<Uint8Array> {
  // Only installing needs a renderer; a kernel that starts doesn't.
  const { Resvg } = await import("@resvg/resvg-js");
  return new Resvg(logoSvg, { fitTo: { mode: "width", value: size }, font: { loadSystemFonts: false } })
    .render()
    .asPng();
}
