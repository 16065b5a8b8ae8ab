// The movie in its frame, the figures, and the cursor that follows the movie through all of them.
(() => {
  const element = (name, kind) => Object.assign(document.createElement(name), { className: kind || "" });

  // ------------------------------------------------------------------ the movie
  const movie = document.getElementById("movie"), packedMovie = document.getElementById("movie-data");
  let frame = null, clock = null;
  if (movie && packedMovie) {
    if (document.createElement("canvas").getContext("webgl2")) {
      const { page, ...own } = JSON.parse(packedMovie.textContent);
      clock = own;
      frame = element("iframe");
      frame.title = "The machine in three dimensions, with its play bar";
      frame.srcdoc = page;
      frame.addEventListener("load", () => {
        movie.querySelector(".waiting")?.remove();
        // The player warns of slow graphics in a box that covers the machine.
        const calm = frame.contentDocument.createElement("style");
        calm.textContent = ".mantine-Notifications-root { display: none; }";
        frame.contentDocument.head.append(calm);
        frame.contentWindow.addEventListener("keydown", (event) => isSpace(event) && event.preventDefault());
      });
      addEventListener("keydown", (event) => {
        const own = frame.contentWindow;
        if (!isSpace(event) || !slider()) return;
        event.preventDefault(); // the page would scroll
        frame.contentDocument.activeElement?.blur(); // a field in there would keep the key to itself
        own.document.body.dispatchEvent(
          new own.KeyboardEvent("keydown", { code: "Space", key: " ", repeat: event.repeat, bubbles: true }));
      });
      movie.append(frame);
    } else {
      movie.querySelector(".waiting").textContent =
        "This browser cannot draw in three dimensions (WebGL is off); the layout is drawn below.";
    }
  }
  // The space bar where it means the movie: not in a field, nor on a button.
  const isSpace = (event) =>
    event.code === "Space" && !(event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) &&
    !event.target.closest?.("input, textarea, select, button, summary, [contenteditable=true]");
  const slider = () => frame?.contentDocument?.querySelector("[role=slider]");
  // The time that the movie shows, in the unit of the figures; null as long as there is none.
  const shownTime = () => {
    const playing = slider()?.getAttribute("aria-valuenow");
    return playing == null ? null : (clock.start + Number(playing) / clock.rate) / clock.factor;
  };
  const seek = (time) => {
    const input = frame?.contentDocument?.querySelector("input");
    if (!input || !slider()) return;
    const playing = Math.max(0, (time * clock.factor - clock.start) * clock.rate);
    // The player listens to its own field: write there as a hand would.
    const own = frame.contentWindow;
    Object.getOwnPropertyDescriptor(own.HTMLInputElement.prototype, "value").set.call(input, playing.toFixed(4));
    input.dispatchEvent(new own.Event("input", { bubbles: true }));
  };

  // ------------------------------------------------------------------ figures
  const plots = [];
  let columns = [], times = [], themes = null, alwaysDark = false;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const config = {
    displaylogo: false, responsive: true,
    modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d", "sendDataToCloud"],
  };

  // A column as it is, or from its second differences.
  function summed(column) {
    if (Array.isArray(column)) return column;
    let slope = 0, value = 0;
    return column.seconds.map((second) => (value += slope += second) * column.step);
  }

  // Data of a figure with its columns of numbers, in the colours that the reader's system asks for.
  function filled(data) {
    let text = JSON.stringify(data);
    if (!alwaysDark && system.matches)
      text = text.replace(/#[0-9A-F]{6}/gi, (colour) => {
        const role = Object.keys(themes.light).find((key) => themes.light[key] === colour);
        return role ? themes.dark[role] : colour;
      });
    return JSON.parse(text, (_, value) => (value && value.column !== undefined ? columns[value.column] : value));
  }

  function layoutOf(figure) {
    const layout = filled(figure.layout);
    if (figure.box.clientWidth < 560)
      for (const key of Object.keys(layout))
        if (/^xaxis/.test(key)) Object.assign(layout[key], { nticks: 5, dtick: undefined });
    return { ...layout, paper_bgcolor: "rgba(0,0,0,0)", uirevision: "kept" };
  }

  async function draw(figure) {
    figure.box = document.getElementById(figure.id);
    await Plotly.newPlot(figure.box, filled(figure.data), layoutOf(figure), config);
    const list = document.getElementById(`${figure.id}-values`);
    for (const value of figure.values) {
      const pen = figure.data[value.trace], mark = element("i"), place = element("span");
      value.numbers = value.columns.map((i) => columns[i]);
      value.place = element("b");
      mark.style.background = value.colour = (pen.line ?? pen.marker).color;
      place.append(mark, value.name, " ", value.place);
      list.append(place);
    }
    figure.marks = { time: [element("div", "cursor")], path: figure.values.map(() => element("div", "dot")) }[figure.kind] ?? [];
    figure.marks.forEach((mark, i) => {
      mark.hidden = true;
      if (figure.kind === "path") mark.style.background = figure.values[i].colour;
      figure.box.append(mark);
    });
    if (figure.kind === "time") figure.box.on("plotly_click", (event) => seek(event.points[0].x));
    plots.push(figure);
  }

  // ------------------------------------------------------------------ the cursor
  // The sample nearest to a time; times ascend.
  function nearest(time) {
    let low = 0, high = times.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time) low = middle; else high = middle;
    }
    return time - times[low] <= times[high] - time ? low : high;
  }

  function follow(figure, time, sample) {
    const full = figure.box._fullLayout, { xaxis, yaxis } = full;
    if (figure.kind === "time") {
      const p = xaxis.l2p(time), [mark] = figure.marks;
      mark.hidden = !(p >= -1 && p <= xaxis._length + 1);
      const panels = Object.keys(full).filter((key) => /^yaxis\d*$/.test(key)).map((key) => full[key]);
      const top = Math.min(...panels.map((axis) => axis._offset));
      mark.style.top = `${top}px`;
      mark.style.height = `${Math.max(...panels.map((axis) => axis._offset + axis._length)) - top}px`;
      mark.style.transform = `translateX(${xaxis._offset + p}px)`;
      mark.dataset.time = time;
    } else {
      figure.marks.forEach((mark, i) => {
        const [x, y] = figure.values[i].numbers.map((c) => c[sample]);
        const trace = figure.box._fullData[figure.values[i].trace];
        mark.hidden = x == null || y == null || trace.visible !== true;
        if (!mark.hidden)
          mark.style.transform = `translate(${xaxis._offset + xaxis.l2p(x)}px,${yaxis._offset + yaxis.l2p(y)}px)`;
      });
    }
  }

  const number = (x) => (x == null ? "–" : Number(x.toPrecision(5)).toString().replace("-", "−"));
  function read(figure, sample) {
    for (const { place, numbers, unit } of figure.values) {
      const words = `${numbers.map((c) => number(c[sample])).join(", ")} ${unit}`.trim();
      if (place.textContent !== words) place.textContent = words;
    }
  }

  let last = NaN;
  function everyFrame() {
    const time = shownTime();
    if (time !== null && time !== last) {
      last = time;
      const sample = nearest(time), clamped = Math.min(Math.max(time, times[0]), times[times.length - 1]);
      for (const figure of plots) {
        if (figure.marks.length) follow(figure, clamped, sample);
        read(figure, sample);
      }
    }
    requestAnimationFrame(everyFrame);
  }

  async function figures() {
    if (!document.getElementById("figures-data")) return;
    if (typeof DecompressionStream === "undefined") {
      for (const box of document.querySelectorAll(".plot"))
        box.textContent = "This browser cannot unpack the plots (it has no DecompressionStream); a newer one shows them.";
      return;
    }
    const [text, library] = await Promise.all([unpacked("figures-data"), unpacked("plotly-data")]);
    const script = element("script");
    script.textContent = library;
    document.head.append(script);
    const found = JSON.parse(text);
    ({ themes, dark: alwaysDark } = found);
    columns = found.columns.map(summed);
    times = columns[found.time];
    for (const figure of found.figures) await draw(figure);
    if (times.length) everyFrame();
    let narrow = innerWidth < 600;
    const redraw = () => {
      for (const figure of plots) Plotly.react(figure.box, filled(figure.data), layoutOf(figure), config);
      last = NaN;
    };
    addEventListener("resize", () => {
      if (narrow !== innerWidth < 600) redraw();
      narrow = innerWidth < 600;
      last = NaN;
    });
    system.addEventListener("change", redraw);
    document.documentElement.dataset.ready = "true";
  }
  figures();
})();
