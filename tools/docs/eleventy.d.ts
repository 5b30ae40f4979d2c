/** The part of Eleventy's API that is used here; Eleventy has no types. */
declare module '@11ty/eleventy' {
  export type Page = { inputPath: string; outputPath: string; url: string; content: string };
  export type Configuration = {
    setUseGitIgnore(use: boolean): void;
    setIncludesDirectory(folder: string): void;
    setTemplateFormats(formats: string[]): void;
    addPlugin<Options>(plugin: (configuration: Configuration, options: Options) => void, options: Options): void;
    addGlobalData(name: string, value: unknown): void;
    addTemplate(path: string, content: string): void;
    amendLibrary(name: 'md', change: (markdown: { set(options: { html: boolean }): void }) => void): void;
  };
  export function IdAttributePlugin(configuration: Configuration, options: { slugify(title: string): string }): void;
  export class Eleventy {
    constructor(
      input: string,
      output: string,
      options: { quietMode: boolean; config(configuration: Configuration): object },
    );
    /** The output, in memory. */
    toJSON(): Promise<Page[]>;
  }
}
