declare const M: (n: number) => void;
export const extra = ({ name, ...rest }: any) => { M(30); return [...name, { ...rest }]; };
