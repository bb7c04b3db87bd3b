"""Pictures: charts, histograms, graphs of what programs and circuits consist of."""
