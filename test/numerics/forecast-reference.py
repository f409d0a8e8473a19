"""Writes forecast-reference.json: what statsmodels 0.15.0 and statsforecast 2.1.1 answer for two series.

In an environment with both: python forecast-reference.py > forecast-reference.json
The series: AirPassengers (Box and Jenkins 1976, series G) and the flow of the Nile (Cobb 1978).
"""

import json
import sys
import warnings

import numpy as np
import pandas as pd
import statsmodels.datasets as datasets
from statsforecast.arima import auto_arima_f
from statsforecast.utils import AirPassengers
from statsmodels.tsa.exponential_smoothing.ets import ETSModel
from statsmodels.tsa.statespace.sarimax import SARIMAX
from statsmodels.tsa.stattools import kpss

warnings.filterwarnings("ignore")
air = np.asarray(AirPassengers, float)
nile = np.asarray(datasets.nile.load_pandas().data["volume"], float)
series = {"air": air, "logair": np.log(air), "nile": nile}


def arima(name, order, seasonal, trend, params=None):
    y = series[name]
    m = SARIMAX(y, order=order, seasonal_order=seasonal, trend=trend, simple_differencing=True)
    fit = m.fit(disp=0, maxiter=1000)
    params = fit.params if params is None else np.asarray(params)
    whole = SARIMAX(y, order=order, seasonal_order=seasonal, trend=trend).smooth(params)
    ahead = whole.get_forecast(18)
    return {
        "series": name, "order": order, "seasonal": seasonal, "params": list(params),
        "loglikelihood": m.loglike(params), "mean": list(ahead.predicted_mean),
        "interval": np.asarray(ahead.conf_int(alpha=0.1)).tolist(),
    }


def ets(name, error, trend, damped, season):
    y = pd.Series(series[name])
    m = ETSModel(y, error=error, trend=trend, damped_trend=damped, seasonal=season, seasonal_periods=12 if season else None)
    fit = m.fit(disp=0, maxiter=5000)
    ahead = fit.get_prediction(start=len(y), end=len(y) + 17)
    found = {
        "series": name, "form": [error, trend, damped, season],
        "params": dict(zip(m.param_names, fit.params)), "loglikelihood": fit.llf, "aicc": fit.aicc,
        "mean": list(fit.forecast(18)),
    }
    if error == "add":
        found["interval"] = np.asarray(ahead.pred_int(alpha=0.1)).tolist()
    else:
        drawn = fit.simulate(18, anchor="end", repetitions=40000, rng=np.random.default_rng(0))
        found["interval"] = np.quantile(np.asarray(drawn), [0.05, 0.95], axis=1).T.tolist()
    return found


def searched(name, period):
    found = auto_arima_f(series[name], period=period)
    p, q, P, Q, m, d, D = found["arma"]
    return {"series": name, "period": period, "order": [p, d, q], "seasonal": [P, D, Q], "loglikelihood": found["loglik"], "aicc": found["aicc"]}


json.dump(
    {
        "origin": "forecast-reference.py with statsmodels 0.15.0, statsforecast 2.1.1",
        "air": air.tolist(), "nile": nile.tolist(),
        "arima": [
            arima("logair", (0, 1, 1), (0, 1, 1, 12), "n"),
            arima("air", (2, 1, 1), (0, 1, 0, 12), "n"),
            arima("logair", (2, 0, 2), (1, 1, 1, 12), "n"),
            arima("nile", (1, 0, 1), (0, 0, 0, 0), "n", [0.9, -0.4, 21000.0]),
        ],
        "ets": [
            ets("nile", "add", None, False, None),
            ets("air", "add", "add", True, "add"),
            ets("air", "mul", "add", True, "mul"),
            ets("air", "mul", "add", False, "add"),
        ],
        "searched": [searched("logair", 12), searched("nile", 1)],
        "kpss": {name: kpss(y, regression="c", nlags=int(3 * np.sqrt(len(y)) / 13))[0] for name, y in series.items()},
    },
    sys.stdout, indent=1, default=float,
)
